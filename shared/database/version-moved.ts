const code = 'VERSION_MOVED';

/**
 * A batch was refused because a row is not as its decision saw it. The code says this too, because an error from
 * another thread loses its class.
 */
export class VersionMoved extends Error {
  override name = 'VersionMoved';
  readonly code = code;
}

export function isVersionMoved(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
