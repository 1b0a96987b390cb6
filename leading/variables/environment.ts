/** The variables of a process. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Adds an option to a text of options that are separated by spaces. Node and the JVM read such a text from an
 * environment variable. If an option contains spaces, it must be in quotes.
 */
export function appendOption(options: string | undefined, option: string): string {
  return [options, option].filter((part) => part !== undefined && part.trim() !== '').join(' ');
}
