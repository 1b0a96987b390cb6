/**
 * For each line of Node's releases, the first release that can load a module again after a failure. All later lines
 * can.
 */
const first = { 22: [21, 1], 24: [20, 0] } as const;

/**
 * Whether this Node can load a module after an earlier attempt failed, for example because no file descriptor was free.
 * An older Node fails for the rest of the process's life, so modules that are loaded at their first use are then loaded
 * before there are clients (B196).
 */
export function mayRetryImport(version = process.versions.node): boolean {
  const [line = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (line > 24) return true;
  const [fromMinor, fromPatch] = first[line as keyof typeof first] ?? [Number.POSITIVE_INFINITY, 0];
  return minor > fromMinor || (minor === fromMinor && patch >= fromPatch);
}
