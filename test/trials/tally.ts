import type { Made } from '../load/check-events.ts';
import type { Load } from '../load/load.ts';
import { nativeApi } from '../load/native-api.ts';
import type { PosPayment } from '../load/pos-api.ts';

/** How often what happened in a trial, by groups: what it reports. */
export class Tally {
  readonly #groups = new Map<string, Map<string, number>>();

  /** Counts one, or as many as given; zero shows that it is counted. */
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

  /** Of the groups that are not all zero: `payments: 12 asked for, 3 of them Adyen's; accidents: 2 gateway killed` */
  get text(): string {
    return [...this.#groups]
      .filter(([, counts]) => [...counts.values()].some((count) => count !== 0))
      .map(
        ([group, counts]) => `${group}: ${[...counts].map(([what, count]) => `${count} ${what}`).join(', ')}`,
      )
      .join('; ');
  }
}

/** What points of sale and the back office asked for, and what came of it for them. */
export function countLoad(tally: Tally, { payments, office }: Load): void {
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

/** How a payment ended for the POS: approved, an errorCondition, that it never asked again, or gave up on a missing link. */
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

/** What the gateways have of the back office's work. */
export function countMade(tally: Tally, { debits, credits, events }: Made): void {
  const refunds = debits.flatMap((debit) => debit.refunds);
  const accepted = credits.filter(({ state }) => state === 'completed' || state === 'failed');
  tally.count('made', 'debits', debits.length);
  tally.count('made', 'refunds', refunds.length);
  tally.count('made', 'failed refunds', refunds.filter(({ status }) => status === 'failed').length);
  tally.count('made', 'links', credits.length);
  tally.count('made', 'accepted links', accepted.length);
  tally.count('made', 'events', events.length);
}
