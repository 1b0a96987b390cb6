import { isSaidOnce, isStorageFault } from '../../shared/database/storage-fault.ts';
import { ApiError } from './errors.ts';

/**
 * Makes the error that a client gets if its request is not at fault. An error of the gateway's own is logged in full
 * and not shown to the client (B115). A fault of the machine is logged without a stack: one line for all requests says
 * that the database is gone, or that its file cannot be used.
 */
export function ownFault(error: unknown, warn: (said: string) => void): ApiError {
  const isStorage = isStorageFault(error);
  const trace = error instanceof Error && !isStorage ? error.stack : undefined;
  if (!isSaidOnce(error)) warn(trace ?? String(error));
  if (!isStorage) return new ApiError('internalError');
  return new ApiError('unavailable', {
    message: 'The gateway cannot store data at present; nothing was changed, try again',
    headers: { 'Retry-After': '1' },
  });
}
