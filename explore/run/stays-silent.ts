import { type Clock, delay } from '../../shared/clock.ts';
import { PosRequestAssembler } from '../../shared/requests/read-requests.ts';
import type { RunEnvironment } from './run-environment.ts';

/**
 * Resolves with true if a command sends no request for `ms` real milliseconds, or with false when a request comes or
 * the wait is aborted.
 */
export async function waitForCommandSilence(
  { listen }: Pick<RunEnvironment, 'listen'>,
  clock: Clock,
  ms: number,
  over: AbortSignal,
): Promise<boolean> {
  const requests = new PosRequestAssembler();
  const heard = new AbortController();
  const stop = listen((entry) => {
    if (requests.take(entry)) heard.abort();
  });
  try {
    return await delay(clock, ms, AbortSignal.any([heard.signal, over])).then(
      () => true,
      () => false,
    );
  } finally {
    stop();
  }
}
