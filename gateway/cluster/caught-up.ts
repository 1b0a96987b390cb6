import { z } from 'zod';
import type { Gateways } from './gateways.ts';
import type { Hints } from './hints/hints.ts';

const subject = 'changes';
const answer = z.object({ gateway: z.string() });

/** Lets others wait until this gateway has read what was changed before they asked. */
export function answerWhenRead(hints: Hints, gateways: Gateways, read: () => Promise<void>): void {
  const known = () => ({ gateway: gateways.id });
  hints.subscribe(subject, () => read().then(known, () => undefined)); // without a database it has nothing to say
}

/**
 * Resolves when all other gateways have read what was stored before, and after `mostMs` where one does not say so: it looks by itself
 * as often, as all do where there is no NATS.
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
