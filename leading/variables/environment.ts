/** The variables of a process. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Adds an option to a list of options. Node and the JVM read such a list one option after the other; an option that
 * contains spaces is in quotes.
 */
export function withOption(options: string | undefined, option: string): string {
  return [options, option].filter((part) => part !== undefined && part.trim() !== '').join(' ');
}
