import { z } from 'zod';
import type { Gateways } from './gateways.ts';
import type { Hints } from './hints/hints.ts';

const subject = 'changes';
const answer = z.object({ gateway: z.string() });

/** Answers other gateways that ask, once this gateway has read the changes that were stored before the question. */
export function answerWhenRead(hints: Hints, gateways: Gateways, read: () => Promise<void>): void {
  const known = () => ({ gateway: gateways.id });
  hints.subscribe(subject, () => read().then(known, () => undefined)); // without a database it gives no answer
}

/**
 * Resolves when all other gateways have read what was stored before this call. Resolves after `mostMs` if one of them
 * gives no answer: by then it has read the changes anyway, because every gateway also reads them at intervals.
 */
export async function othersCaughtUp(gateways: Gateways, hints: Hints, mostMs: number): Promise<void> {
  const missing = new Set(await gateways.others());
  if (missing.size === 0) return;
  await new Promise<void>((resolve) => {
    const each = (said: unknown) => {
      const { data } = answer.safeParse(said);
      if (data && missing.delete(data.gateway) && missing.size === 0) resolve();
    };
    void hints.gather(subject, undefined, { timeoutMs: mostMs }, each).then(resolve);
  });
}
