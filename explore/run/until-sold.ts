import { type Clock, delay } from '../../shared/clock.ts';
import { PosRequestAssembler } from '../../shared/requests/read-requests.ts';
import type { RunEnvironment } from './run-environment.ts';

/**
 * A belief is a command's statement about how the shop has recorded a sale. A command that has stated a belief about
 * each sale counts as finished when it has sent no request for this many real milliseconds.
 */
const believedMs = 2_000;
/**
 * Any other command counts as finished when it has sent no request for this many real milliseconds. This time is
 * longer, because a command that has not stated a belief about each sale may soon send another request.
 */
const unsaidMs = 10_000;
const lookMs = 250;

type Watched = Pick<RunEnvironment, 'sales' | 'listen'>;

/**
 * Resolves when a command that keeps running has finished its sale. That is so when the command has sent requests, none
 * of them is open, and it has sent no request for a while (B332). Never resolves if the command sends no request.
 *
 * @throws Error if the wait is aborted before that
 */
export async function waitUntilSold(environment: Watched, clock: Clock, given: AbortSignal): Promise<void> {
  const requests = new PosRequestAssembler();
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

/** Whether the command has stated a belief about each of its sales. */
async function hasSaidAll({ sales }: Watched): Promise<boolean> {
  const theirs = (await sales()).filter(({ own, kind }) => own === null && kind !== 'link');
  return theirs.length > 0 && theirs.every(({ beliefs }) => beliefs.length > 0);
}
