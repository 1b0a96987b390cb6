/** The levels of the log. They are apart from the logger, so that only code that logs has to load it. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];
