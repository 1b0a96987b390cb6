/** The variables of a process. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Options as the variables of Node and of the JVM have them: one after the other, in quotes where there are spaces. */
export function withOption(options: string | undefined, option: string): string {
  return [options, option].filter((part) => part !== undefined && part.trim() !== '').join(' ');
}
