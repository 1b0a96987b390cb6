/** The levels of the log. They are apart from the logger, so that the logger is loaded only by code that logs. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];
