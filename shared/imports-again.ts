/**
 * For each line of Node's releases, the first release that was seen to load a module again after a failure; later lines
 * all do.
 */
const first = { 22: [21, 1], 24: [20, 0] } as const;

/**
 * Whether this Node can load a module after an earlier attempt failed, for example without a free file descriptor. An
 * older Node fails for as long as the process lives, so modules that are loaded at first use are then loaded before
 * there are clients (B196).
 */
export function importsAgain(version = process.versions.node): boolean {
  const [line = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (line > 24) return true;
  const [fromMinor, fromPatch] = first[line as keyof typeof first] ?? [Number.POSITIVE_INFINITY, 0];
  return minor > fromMinor || (minor === fromMinor && patch >= fromPatch);
}
