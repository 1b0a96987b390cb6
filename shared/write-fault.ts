/** Why a file could not be written, in words of the field where we have some. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code && reasons[code]) ?? message;
}

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a part of its path is a file',
  EROFS: 'the disk is read-only',
};
