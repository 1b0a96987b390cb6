/**
 * Explains in words why a connection failed. `fetch` puts the reason into the cause of its error. If a name has several
 * addresses, Node tries all of them. Node's error then contains one error for each address, and has no text of its own.
 */
export function explainConnectionError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return explainConnectionError(error.cause);
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map(explainConnectionError).join(', ');
  return error.message || error.name;
}
