import { type Clock, delay } from '../../shared/clock.ts';
import { RequestReader } from '../../shared/requests/read-requests.ts';
import type { RunEnvironment } from './run-environment.ts';

/**
 * After this many real milliseconds without a request, a command counts as finished, if it has said what it believes
 * about each sale.
 */
const believedMs = 2_000;
/**
 * The same for a command that has not said what it believes. The time is longer, because such a command may be about to
 * send another request.
 */
const unsaidMs = 10_000;
const lookMs = 250;

type Watched = Pick<RunEnvironment, 'sales' | 'listen'>;

/**
 * Resolves when a command that does not end by itself has sold: it has sent requests, none of them is open, and it has
 * sent none for a while (B332). Without any request this never resolves.
 *
 * @throws Error if the wait is aborted before that
 */
export async function untilSold(environment: Watched, clock: Clock, given: AbortSignal): Promise<void> {
  const requests = new RequestReader();
  const open = new Set<string>();
  let lastAt: number | undefined;
  const stop = environment.listen((entry) => {
    const request = requests.take(entry);
    if (!request && entry.kind !== 'belief.stated') return;
    lastAt = clock.monotonic();
    if (request && (request.answered || request.hungUp)) open.delete(request.requestId);
    else if (request) open.add(request.requestId);
  });
  try {
    for (let askedOf: number | undefined; ; ) {
      await delay(clock, lookMs, given);
      if (lastAt === undefined || open.size > 0) continue;
      const quietMs = clock.monotonic() - lastAt;
      if (quietMs >= unsaidMs) return;
      if (quietMs < believedMs || askedOf === lastAt) continue;
      askedOf = lastAt;
      if ((await hasSaidAll(environment)) && askedOf === lastAt) return;
    }
  } finally {
    stop();
  }
}

/** Whether the command has said what it believes about each sale that it made. */
async function hasSaidAll({ sales }: Watched): Promise<boolean> {
  const theirs = (await sales()).filter(({ own, kind }) => own === null && kind !== 'link');
  return theirs.length > 0 && theirs.every(({ beliefs }) => beliefs.length > 0);
}
