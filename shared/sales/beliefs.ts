import type { Belief, Sale, SaleAttempt, SaleFinding } from './sale.ts';

type Believed = Pick<Sale, 'attempts' | 'beliefs' | 'outcome' | 'charged' | 'currency' | 'kind'>;

/**
 * The money that a sale gave back before and after the moment when the latest belief about the sale was stated. Sums
 * are in major units.
 */
interface GivenBack {
  /** The ids of the reversals, card refunds and refunds that had begun when the belief was stated. */
  readonly begunBefore: ReadonlySet<string>;
  /** For a debit: the sum of its refunds. */
  readonly refunded: number;
  /** For a debit: the sum of the refunds that began after the belief was stated. */
  readonly refundedSince: number;
}

/**
 * Says what is wrong about the latest belief. Returns undefined if the belief is right, or if it cannot be judged yet.
 * Returns undefined for a card refund too, because a card refund takes no payment. If money is given back after a
 * belief was stated, that alone does not make the belief wrong (B512).
 */
export function findWrongBelief(
  sale: Believed,
  { begunBefore, refunded, refundedSince }: GivenBack,
): SaleFinding | undefined {
  const belief = sale.beliefs.at(-1);
  if (!belief || belief.believes === 'unknown' || sale.charged === null || isUndecided(sale))
    return undefined;
  // The belief may be about the present state, or about the state before a later refund. The belief is wrong only if it
  // fits neither of the two states.
  const all = givingBack(sale);
  const isGivenBack = all.length > 0 || refunded > 0;
  if (whatIsWrong(belief, sale.charged, moneyOf(sale, isGivenBack)) === undefined) return undefined;
  const since = givenBackSince(sale, belief, begunBefore);
  const chargedBefore = Math.round((sale.charged + sumOf(since) + refundedSince) * 1e4) / 1e4;
  const wasGivenBack = all.length > since.length || refunded > refundedSince;
  const wrong = whatIsWrong(belief, chargedBefore, moneyOf(sale, wasGivenBack));
  return wrong && { rule: 'wrong-belief', severity: 'error', ...wrong, count: 1 };
}

function isUndecided({ kind, outcome, attempts }: Believed): boolean {
  return kind === 'cardRefund' || outcome === 'open' || attempts.some((each) => each.outcome === 'open');
}

/** Returns the attempts that gave money back. */
function givingBack({ attempts }: Believed): SaleAttempt[] {
  return attempts.filter(({ charged }) => (charged ?? 0) < 0);
}

/** Returns the attempts that gave money back and began after the belief was stated. */
function givenBackSince(sale: Believed, { at }: Belief, begunBefore: ReadonlySet<string>): SaleAttempt[] {
  return givingBack(sale).filter(
    ({ payment, acceptedAt }) => !begunBefore.has(payment) && (acceptedAt === null || acceptedAt >= at),
  );
}

/** Returns the sum that these attempts gave back, in major units. The sum is not negative. */
function sumOf(back: readonly SaleAttempt[]): number {
  return -back.reduce((sum, { charged }) => sum + (charged ?? 0), 0);
}

/** @param isGivenBack whether, in the state with which the belief is compared, money had been given back */
function moneyOf({ attempts, currency }: Believed, isGivenBack: boolean) {
  return {
    currency,
    paid: attempts.filter(({ charged }) => (charged ?? 0) > 0).length,
    isGivenBack,
  };
}

function whatIsWrong(
  { believes, amount, times }: Belief,
  charged: number,
  { currency, paid, isGivenBack }: ReturnType<typeof moneyOf>,
): Pick<SaleFinding, 'what' | 'fix'> | undefined {
  const money = currency === null ? `${charged}` : `${currency} ${charged}`;
  if (believes === 'notPaid') {
    if (charged > 0)
      return {
        what: `the shop believes that the sale is not paid, but the customer was charged ${money}`,
        fix: 'before you give a sale up, ask for the status by the key until the answer is 200',
      };
    return (times ?? 0) > 0
      ? {
          what: `goods were handed out ${timesText(times)} for a sale that is not paid`,
          fix: 'hand goods out only after a 200 has said that the payment succeeded',
        }
      : undefined;
  }
  if (charged <= 0 && isGivenBack)
    return {
      what: 'the shop believes that the sale is paid, but the whole amount was given back to the customer',
      fix: 'record each refund with the sale, and take the outcome of the refund from the answer to the refund request',
    };
  if (charged === 0)
    return {
      what: 'the shop believes that the sale is paid, but the customer was charged nothing',
      fix: 'read response.result: a decline is a 200 too',
    };
  if (amount !== null && amount < charged && paid > 1)
    return {
      what: `the shop believes that ${amount} was paid, but the customer was charged ${paid === 2 ? 'twice' : `${paid} times`}, ${money} in all`,
      fix: 'before you begin another payment for a sale, ask for the outcome of the last payment until there is an outcome; give back the amount by which the customer was overcharged',
    };
  if (amount !== null && amount > charged && isGivenBack)
    return {
      what: `the shop believes that ${amount} was paid, but after the refunds the customer was charged ${money}`,
      fix: 'record each refund with the sale, and ask for the outcome of a refund before you begin another refund',
    };
  if (amount !== null && amount !== charged)
    return {
      what: `the shop believes that ${amount} was paid, but the customer was charged ${money}`,
      fix: 'take the amounts from the result: the cardholder may have added a tip',
    };
  return (times ?? 1) > 1
    ? {
        what: `the shop handed out goods, or acted on an event, ${timesText(times)} for one sale`,
        fix: 'before you hand out goods or act on an event, record this action with the sale; if the sale already has this record, do nothing',
      }
    : undefined;
}

function timesText(times: number | null): string {
  return times === 1 ? 'once' : `${times} times`;
}
