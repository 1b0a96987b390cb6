import { z } from 'zod';
import type { GatewayMembership } from './gateways.ts';
import type { HintBus } from './hints/hints.ts';

const subject = 'changes';
const answer = z.object({ gateway: z.string() });

/**
 * Answers other gateways that ask whether this gateway is up to date. This gateway answers as soon as it has read all
 * changes that were stored before the question.
 */
export function answerCaughtUpQuestions(
  hints: HintBus,
  gateways: GatewayMembership,
  read: () => Promise<void>,
): void {
  const known = () => ({ gateway: gateways.id });
  // If the database cannot be reached, this gateway does not answer.
  hints.subscribe(subject, () => read().then(known, () => undefined));
}

/**
 * Resolves when all other gateways have read what was stored before this call, or after `mostMs` at the latest. A
 * gateway that does not answer reads the changes a little later, because every gateway reads at intervals.
 */
export async function waitUntilOthersCaughtUp(
  gateways: GatewayMembership,
  hints: HintBus,
  mostMs: number,
): Promise<void> {
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
