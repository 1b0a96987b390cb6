const code = 'VERSION_MOVED';

/**
 * Thrown if a batch was refused because a row had changed after the caller read the row. The error also has a code,
 * because an error from another thread loses its class but keeps its code.
 */
export class StaleRowVersionError extends Error {
  override name = 'VersionMovedError';
  readonly code = code;
}

export function isStaleRowVersionError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
