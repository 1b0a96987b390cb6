/** How much goes to the log, apart from the logger, which only who logs has to load. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];
