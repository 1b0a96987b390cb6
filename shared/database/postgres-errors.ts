/** Thrown if there is no connection, because it could not be opened or was lost. Nothing was changed. */
export class NoConnectionError extends Error {
  override name = 'NoConnectionError';

  constructor(cause: unknown) {
    super(`no connection to PostgreSQL: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/**
 * Whether an error comes from the server rather than the connection. Only the server gives an error a SQLSTATE, a code
 * of five letters and digits.
 */
export function isPostgresServerError(error: unknown): error is Error & { code: string } {
  return (
    error instanceof Error &&
    'code' in error &&
    /^[0-9A-Z]{5}$/.test(String(error.code)) &&
    'severity' in error
  );
}

/**
 * Whether the server closes the connection when it reports this error. If so, the changes that were sent before the
 * error may be on disk.
 */
export function isConnectionEndingError({ code }: { code: string }): boolean {
  return /^(08|57P|25P03)/.test(code);
}

/**
 * Whether work failed because another connection has just stored the same key, or because two transactions waited for
 * each other.
 */
export function isTransactionConflict(error: unknown): boolean {
  return isPostgresServerError(error) && /^(23505|40)/.test(error.code);
}

/**
 * Whether PostgreSQL failed because of the machine or the connection, so that the same work may succeed later. These
 * causes count: there is no connection or no room; the server is starting, stopping or read-only; two transactions
 * waited for each other; a transaction hung for too long.
 */
export function isTransientPostgresFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof NoConnectionError) return true;
  if (isPostgresServerError(error)) return /^(08|53|57P|58|40|25006|25P03|55P03|57014)/.test(error.code);
  return isConnectionError(error);
}

/** Whether no server can be used: it is gone, starting or stopping, or accepts no more connections. */
export function isPostgresUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof NoConnectionError) return true;
  return isPostgresServerError(error) ? /^(08|57P|53300)/.test(error.code) : isConnectionError(error);
}

/**
 * Whether this error comes from the network or from the driver. An error of the network is recognised by its code. An
 * error of the driver has no code, so it is recognised by the beginning of its message.
 */
function isConnectionError(error: Error): boolean {
  if ('code' in error && networkErrors.test(String(error.code))) return true;
  return driverErrors.test(error.message);
}

const networkErrors = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_)/;
const driverErrors =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout e)/;
