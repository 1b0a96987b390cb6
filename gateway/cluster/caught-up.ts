import { z } from 'zod';
import type { Gateways } from './gateways.ts';
import type { Hints } from './hints/hints.ts';

const subject = 'changes';
const answer = z.object({ gateway: z.string() });

/**
 * Answers other gateways that ask whether this gateway is up to date, once it has read the changes that were stored
 * before the question.
 */
export function answerWhenRead(hints: Hints, gateways: Gateways, read: () => Promise<void>): void {
  const known = () => ({ gateway: gateways.id });
  hints.subscribe(subject, () => read().then(known, () => undefined)); // without a database it gives no answer
}

/**
 * Resolves when all other gateways have read what was stored before this call, and after `mostMs` at the latest. A
 * gateway that gives no answer will still read the changes, because every gateway also reads them at intervals.
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
