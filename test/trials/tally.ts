import type { CreatedResources } from '../load/check-events.ts';
import type { RoundLoad } from '../load/load.ts';
import { nativeApi } from '../load/native-api.ts';
import type { PosPayment } from '../load/pos-api.ts';

/** Counts how often each thing happened in a trial. The report shows the counts in groups. */
export class Tally {
  readonly #groups = new Map<string, Map<string, number>>();

  /** Adds one, or the number `times`. Even if the number is zero, the report shows the count. */
  count(group: string, what: string, times: number | boolean = 1): void {
    this.set(group, what, this.of(group, what) + Number(times));
  }

  set(group: string, what: string, value: number): void {
    const counts = this.#groups.get(group) ?? new Map<string, number>();
    this.#groups.set(group, counts.set(what, value));
  }

  of(group: string, what: string): number {
    return this.#groups.get(group)?.get(what) ?? 0;
  }

  /**
   * The groups that are not all zero, for example `payments: 12 asked for, 3 of them Adyen's; accidents: 2 gateway
   * killed`.
   */
  get text(): string {
    return [...this.#groups]
      .filter(([, counts]) => [...counts.values()].some((count) => count !== 0))
      .map(
        ([group, counts]) => `${group}: ${[...counts].map(([what, count]) => `${count} ${what}`).join(', ')}`,
      )
      .join('; ');
  }
}

/** Counts the requests of points of sale and back offices, and their outcomes. */
export function countLoad(tally: Tally, { payments, office }: RoundLoad): void {
  tally.count('payments', 'asked for', 0);
  for (const payment of payments) {
    if (payment.gives) countGivenBack(tally, payment);
    else {
      tally.count('payments', 'asked for');
      tally.count('payments', "of them Adyen's", payment.api !== nativeApi);
      tally.count('endings', endingOf(payment));
    }
  }
  for (const { orders, actions } of office) {
    const asked = [...orders, ...actions.filter(({ what }) => what !== 'visit')];
    tally.count('back office', 'orders', orders.length);
    tally.count('back office', 'of them refused', orders.filter(({ status }) => status === 503).length);
    tally.count('back office', 'unanswered', asked.filter(({ status }) => status === undefined).length);
  }
}

/**
 * Returns how a payment ended for the POS: it was approved, it failed with an errorCondition, the POS did not ask for
 * the outcome, or the POS gave up because the terminal had no link.
 */
function endingOf({ api, answers: [answer], unlinked }: PosPayment): string {
  if (answer === undefined) return unlinked > 0 ? 'without a link' : 'not asked';
  return api.read(answer).failure ?? 'approved';
}

function countGivenBack(tally: Tally, { api, gives, answers: [answer], tooMuch }: PosPayment): void {
  const succeeded = answer !== undefined && api.read(answer).failure === undefined;
  if (gives?.kind === 'refund') {
    tally.count('given back', 'card refunds');
    tally.count('given back', 'of them given', succeeded);
    return;
  }
  tally.count('given back', 'reversals');
  tally.count('given back', 'of them whole or in part', succeeded);
  tally.count('given back', 'of too much', tooMuch > 0 && answer === undefined);
}

/** Counts the resources that the back offices created. */
export function countMade(tally: Tally, { debits, credits, events }: CreatedResources): void {
  const refunds = debits.flatMap((debit) => debit.refunds);
  const accepted = credits.filter(({ state }) => state === 'completed' || state === 'failed');
  tally.count('made', 'debits', debits.length);
  tally.count('made', 'refunds', refunds.length);
  tally.count('made', 'failed refunds', refunds.filter(({ status }) => status === 'failed').length);
  tally.count('made', 'links', credits.length);
  tally.count('made', 'accepted links', accepted.length);
  tally.count('made', 'events', events.length);
}
