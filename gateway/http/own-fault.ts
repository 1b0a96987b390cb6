import { isSaidOnce, isStorageFault } from '../../shared/database/storage-fault.ts';
import { ApiError } from './errors.ts';

/**
 * What a client is told of an error that is no fault of its request. It is ours: logged in full, not shown to the client (B115).
 * Of the machine's faults the trace says nothing, and one line for all requests says that a database is gone, or that its file
 * cannot be used.
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
