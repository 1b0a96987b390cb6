/** The variables of a process. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Adds an option to options in the form of Node and the JVM: one after the other, in quotes if it has spaces. */
export function withOption(options: string | undefined, option: string): string {
  return [options, option].filter((part) => part !== undefined && part.trim() !== '').join(' ');
}
