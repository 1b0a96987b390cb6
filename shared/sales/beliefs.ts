import type { Belief, Sale, SaleFinding } from './sale.ts';

/** What of the latest belief is not so; undefined while nothing can be said. */
export function wrongBelief(
  sale: Pick<Sale, 'attempts' | 'beliefs' | 'outcome' | 'charged' | 'currency' | 'kind'>,
): SaleFinding | undefined {
  const belief = sale.beliefs.at(-1);
  if (!belief || belief.believes === 'unknown' || sale.outcome === 'open' || sale.charged === null)
    return undefined;
  const paid = sale.attempts.filter(({ charged }) => (charged ?? 0) > 0).length;
  const wrong = whatIsWrong(belief, sale.charged, { currency: sale.currency, paid });
  return wrong && { rule: 'wrong-belief', severity: 'error', ...wrong, count: 1 };
}

function whatIsWrong(
  { believes, amount, times }: Belief,
  charged: number,
  { currency, paid }: { currency: string | null; paid: number },
): Pick<SaleFinding, 'what' | 'fix'> | undefined {
  const money = currency === null ? `${charged}` : `${currency} ${charged}`;
  if (believes === 'notPaid') {
    if (charged > 0)
      return {
        what: `the shop takes the sale for not paid, and the customer was charged ${money}`,
        fix: 'ask for the status by the key until it answers 200 before you give a sale up',
      };
    return (times ?? 0) > 0
      ? {
          what: `goods were handed out ${timesText(times)} for a sale that is not paid`,
          fix: 'hand goods out once a 200 says that the payment succeeded',
        }
      : undefined;
  }
  if (charged === 0)
    return {
      what: 'the shop takes the sale for paid, and the customer was charged nothing',
      fix: 'read response.result: a decline is a 200 too',
    };
  if (amount !== null && amount < charged && paid > 1)
    return {
      what: `the shop takes the sale for paid with ${amount}, and the customer was charged ${paid === 2 ? 'twice' : `${paid} times`}, ${money} in all`,
      fix: 'ask for the outcome of a payment until there is one before you begin another for its sale, and give back what was charged too much',
    };
  if (amount !== null && amount !== charged)
    return {
      what: `the shop takes the sale for paid with ${amount}, and the customer was charged ${money}`,
      fix: 'take the amounts from the result: the cardholder may have added a tip',
    };
  return (times ?? 1) > 1
    ? {
        what: `goods were handed out or an event was acted on ${timesText(times)} for one sale`,
        fix: 'note what was done under the sale before you do it, and do it once',
      }
    : undefined;
}

function timesText(times: number | null): string {
  return times === 1 ? 'once' : `${times} times`;
}
