/** The variables of a process. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Adds an option to a list of options as Node and the JVM read them: one after the other, in quotes if it contains
 * spaces.
 */
export function withOption(options: string | undefined, option: string): string {
  return [options, option].filter((part) => part !== undefined && part.trim() !== '').join(' ');
}
