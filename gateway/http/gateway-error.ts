import { isReportedByWatcher, isStorageFault } from '../../shared/database/storage-fault.ts';
import { ApiError } from './errors.ts';

/**
 * Makes the error for a request that failed without a fault of the client. A bug of the gateway is logged in full and
 * not shown to the client (B115). A fault of the machine is logged without a stack. If the database or its file cannot
 * be used, the log has a single line about this for all requests.
 */
export function logAndMakeServerError(error: unknown, warn: (said: string) => void): ApiError {
  const isStorage = isStorageFault(error);
  const trace = error instanceof Error && !isStorage ? error.stack : undefined;
  if (!isReportedByWatcher(error)) warn(trace ?? String(error));
  if (!isStorage) return new ApiError('internalError');
  return new ApiError('unavailable', {
    message: 'The gateway cannot store data at present; nothing was changed, try again',
    headers: { 'Retry-After': '1' },
  });
}
