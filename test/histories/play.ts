import type { Coverage } from './coverage.ts';
import { CreditHistory } from './credits/history.ts';
import { type DebitCoverage, DebitHistory } from './debits/history.ts';
import { History } from './history.ts';
import { TwoOwnersHistory } from './two-owners/history.ts';
import { DeliveryHistory } from './webhooks/history.ts';

export const stepsOfOne = 40;

interface Played {
  played: number;
  /** The first history that broke an invariant. */
  violation: { seed: number; error: unknown; said: string[] } | undefined;
}

interface Many {
  histories: number;
  /** The seed of the first history. Each further history has the next number as its seed. */
  seed: number;
}

/** Plays histories of one gateway, with the pure core, until a history breaks an invariant. */
export function playHistories(many: Many & { coverage: Coverage }): Promise<Played> {
  return playUntilBroken(many, (seed) => new History(seed, many.coverage));
}

/** Plays histories of two gateways and one terminal until one breaks an invariant. */
export function playTwoOwners(many: Many): Promise<Played> {
  return playUntilBroken(many, (seed) => new TwoOwnersHistory(seed));
}

/** Plays histories of credits at two gateways until one breaks an invariant. */
export function playCredits(many: Many & { coverage: Coverage }): Promise<Played> {
  return playUntilBroken(many, (seed) => new CreditHistory(seed, many.coverage));
}

/** Plays histories of debits and their refunds until one breaks an invariant. */
export function playDebits(many: Many & { coverage: DebitCoverage }): Promise<Played> {
  return playUntilBroken(many, (seed) => new DebitHistory(seed, many.coverage));
}

/** Plays histories of webhook deliveries by two gateways until one breaks an invariant. */
export function playDeliveries(many: Many & { coverage: Coverage }): Promise<Played> {
  return playUntilBroken(many, (seed) => new DeliveryHistory(seed, many.coverage));
}

async function playUntilBroken(
  { histories, seed: first }: Many,
  begin: (seed: number) => { said: string[]; play(steps: number): void | Promise<void> },
): Promise<Played> {
  for (let played = 0; played < histories; played++) {
    const seed = first + played;
    const history = begin(seed);
    try {
      await history.play(stepsOfOne);
    } catch (error) {
      return { played, violation: { seed, error, said: history.said } };
    }
  }
  return { played: histories, violation: undefined };
}
