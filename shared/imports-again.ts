/** The first release of each line of which it was seen that it tries again; later lines all do. */
const first = { 22: [21, 1], 24: [20, 0] } as const;

/**
 * Whether this Node loads a module that it could not load before, as without a file descriptor. One that does not fails for as
 * long as the process lives, so what is loaded at its first use is loaded before there are clients (B196).
 */
export function importsAgain(version = process.versions.node): boolean {
  const [line = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (line > 24) return true;
  const [fromMinor, fromPatch] = first[line as keyof typeof first] ?? [Number.POSITIVE_INFINITY, 0];
  return minor > fromMinor || (minor === fromMinor && patch >= fromPatch);
}
