/**
 * The levels of the log. They are in a module without the logger, so that only code that logs has to load the logger.
 */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];
