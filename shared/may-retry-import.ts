/**
 * For each of these major versions of Node, the first minor version and patch that can load a module again after a
 * failure. Every later major version can do that, too.
 */
const first = { 22: [21, 1], 24: [20, 0] } as const;

/**
 * Whether this Node can load a module after an earlier attempt failed, for example because no file descriptor was free.
 * In an older Node, such a module can never be loaded again in this process. With such a Node, pinpad therefore loads
 * all modules before it has clients (B196).
 */
export function mayRetryImport(version = process.versions.node): boolean {
  const [line = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (line > 24) return true;
  const [fromMinor, fromPatch] = first[line as keyof typeof first] ?? [Number.POSITIVE_INFINITY, 0];
  return minor > fromMinor || (minor === fromMinor && patch >= fromPatch);
}
