import type { Clock, TimerHandle } from '../../../shared/clock.ts';
import { type ByteTransport, TransportClosedError } from '../reader-driver.ts';

/**
 * Resolves when nothing has come over the line for `silenceMs`, or after `mostMs` if the line is never silent.
 *
 * @throws TransportClosedError; the signal's reason
 */
export function waitUntilSilent(
  transport: ByteTransport,
  clock: Clock,
  { silenceMs, mostMs, signal }: { silenceMs: number; mostMs: number; signal?: AbortSignal },
): Promise<void> {
  const latest = clock.monotonic() + mostMs;
  return new Promise((resolve, reject) => {
    let timer: TimerHandle;
    const end = (conclude: () => void) => {
      clock.clearTimeout(timer);
      for (const off of offs) off();
      signal?.removeEventListener('abort', onAbort);
      conclude();
    };
    const wait = () => {
      clock.clearTimeout(timer);
      timer = clock.setTimeout(() => end(resolve), silenceMs);
    };
    const onAbort = () => end(() => reject(signal?.reason));
    const offs = [
      transport.onData(() => {
        if (clock.monotonic() < latest) wait();
      }),
      transport.onClosed((why) => end(() => reject(new TransportClosedError(why)))),
    ];
    signal?.addEventListener('abort', onAbort, { once: true });
    wait();
  });
}
