import type { Clock, TimerHandle } from '../../../shared/clock.ts';
import { type ByteTransport, TransportClosedError, type Unsubscribe } from '../reader-driver.ts';

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
    if (signal?.aborted) return reject(signal.reason);
    let timer: TimerHandle | undefined;
    const offs: Unsubscribe[] = [];
    const end = (conclude: () => void) => {
      clock.clearTimeout(timer);
      for (const off of offs) off();
      signal?.removeEventListener('abort', onAbort);
      conclude();
    };
    const wait = () => {
      clock.clearTimeout(timer);
      timer = clock.setTimeout(
        () => end(resolve),
        Math.min(silenceMs, Math.max(0, latest - clock.monotonic())),
      );
    };
    const onAbort = () => end(() => reject(signal?.reason));
    signal?.addEventListener('abort', onAbort, { once: true });
    wait();
    offs.push(transport.onData(wait));
    // This call comes last. If the line is already closed, onClosed calls this listener at once, and the listener
    // undoes everything that was set up above.
    offs.push(transport.onClosed((why) => end(() => reject(new TransportClosedError(why)))));
  });
}
