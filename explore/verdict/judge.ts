import type { Belief, RecordedSaleCall, Sale, SaleAttempt } from '../../shared/sales/sale.ts';
import type { RunRecord } from '../run/run-record.ts';
import { type FailureKind, failureKinds, type Verdict } from './verdict.ts';

type Oracle = (run: RunRecord, plain: RunRecord) => string | undefined;

/**
 * Judges a run by comparing its result with the result of the plain run. Money is in major units. Ignores the sales
 * that pinpad's own screen and console made.
 */
export function judge(run: RunRecord, plain: RunRecord): Verdict {
  for (const is of failureKinds) {
    const says = oracles[is](run, plain);
    if (says !== undefined) return { is, says };
  }
  if (failed(run) && !failed(plain))
    return { is: 'testFails', says: 'Your test fails, but the money is right' };
  return { is: 'survived', says: 'The beliefs of your point of sale agree with the money that moved' };
}

const oracles: Readonly<Record<FailureKind, Oracle>> = {
  chargedTwice: (run, plain) => {
    const [charged, wanted] = [sumNetCharges(run), sumNetCharges(plain)];
    if (charged <= wanted || !beganUnlearnt(run)) return undefined;
    return `The customer was charged ${charged} instead of ${wanted}: another payment was begun before the outcome of an earlier payment was known`;
  },
  paidBelievedUnpaid: (run) =>
    findFirstComplaint(run, (sale, { believes }) =>
      believes === 'notPaid' && (sale.charged ?? 0) > 0
        ? `The customer paid ${sale.charged}, but your point of sale believes "not paid"`
        : undefined,
    ),
  believedPaidUnpaid: (run, plain) =>
    findFirstComplaint(run, (sale, { believes, amount }) => {
      if (believes !== 'paid' || sale.charged === null || sale.outcome === 'open') return undefined;
      if (sale.kind === 'cardRefund') return undefined;
      const paid = sumChargesBeforeGivingBack(sale);
      if (paid === 0) return 'Your point of sale believes "paid", but the customer paid nothing';
      // If more was given back than in the plain run, `refundedTwice` reports that the customer paid too little.
      if (amount !== null && amount > paid && sumGivenBack(run) <= sumGivenBack(plain))
        return `Your point of sale believes that ${amount} was paid, but the customer paid ${paid}`;
      return undefined;
    }),
  refundedTwice: (run, plain) => {
    const [refunded, wanted] = [sumGivenBack(run), sumGivenBack(plain)];
    if (refunded <= wanted) return undefined;
    return `The customer was refunded ${refunded} instead of ${wanted}`;
  },
  wrongTimes: (run) =>
    findFirstComplaint(run, (sale, { believes, times }) => {
      if (times === null || believes === 'unknown') return undefined;
      if (believes === 'notPaid')
        return times > 0
          ? 'Your point of sale handed out goods, or acted on an event, for a sale that it believes is not paid'
          : undefined;
      if (times > 1)
        return `Your point of sale handed out goods, or acted on an event, ${times} times for one sale`;
      if (times === 0 && (sale.charged ?? 0) > 0)
        return 'The customer paid, but your point of sale handed out no goods and acted on no event';
      return undefined;
    }),
  paidNeverLearnt: (run) => {
    const sale = findNeverLearnt(run);
    return sale && neverLearntText(sale);
  },
  leftUnknown: (run) => {
    const withFault = findRequestsWithFault(run);
    const isLeft = salesOfPos(run).some(
      (sale) =>
        (sale.outcome === 'failure' || sale.told === 'told') &&
        isUnknown(sale) &&
        !askedInVain(sale, withFault),
    );
    return isLeft
      ? 'Your point of sale left the outcome unknown, although it could have asked for it'
      : undefined;
  },
  commandFailed: (run, plain) => {
    if (!failed(run) || failed(plain) || run.ended.timedOut || !hasOutcomeOfPlain(run, plain))
      return undefined;
    return 'The outcome is the same as without the fault, but your command failed';
  },
  hangs: ({ ended }) => (ended.timedOut ? 'Your command did not end' : undefined),
  didNotSettle: ({ settled }) =>
    settled
      ? undefined
      : 'A payment, a refund, a webhook delivery or something else was still open ten minutes (of virtual time) after your command had ended',
};

function failed({ ended }: RunRecord): boolean {
  return ended.timedOut || ended.code !== 0;
}

/** Returns the attempts of a sale that moved money, but whose outcome the point of sale was not told. */
function movedUntold({ attempts }: Sale): readonly SaleAttempt[] {
  return attempts.filter(({ charged, told }) => (charged ?? 0) !== 0 && told === 'untold');
}

/** Returns a sale whose money moved without the point of sale ever learning this. */
function findNeverLearnt(run: RunRecord): Sale | undefined {
  const withFault = findRequestsWithFault(run);
  return salesOfPos(run).find(
    (sale) =>
      sale.told === 'untold' &&
      movedUntold(sale).length > 0 &&
      leftOpen(sale) &&
      !askedInVain(sale, withFault) &&
      !isOnItsWay(sale, run),
  );
}

function neverLearntText(sale: Sale): string {
  const untold = movedUntold(sale);
  if (untold.some(({ charged }) => (charged ?? 0) > 0))
    return `The customer paid ${sale.charged}, but your point of sale never learnt this`;
  const moved = sum(untold, ({ charged }) => charged ?? 0);
  return `The customer got ${-moved} back, but your point of sale never learnt this`;
}

/**
 * Whether the same money moved as in the plain run, and the point of sale knows the outcome. A point of sale that has
 * stated beliefs knows the outcome if its beliefs are the same as in the plain run. A point of sale without beliefs
 * knows the outcome if it was told the outcome.
 */
function hasOutcomeOfPlain(run: RunRecord, plain: RunRecord): boolean {
  const hasSameMoney =
    sumNetCharges(run) === sumNetCharges(plain) && sumGivenBack(run) === sumGivenBack(plain);
  if (!hasSameMoney || sumNetCharges(plain) === 0) return false;
  const said = beliefsOf(run);
  if (said.length > 0) return said.join() === beliefsOf(plain).join();
  return salesOfPos(run).every(({ charged, told }) => (charged ?? 0) === 0 || told !== 'untold');
}

/** Returns the last belief about each sale. */
function beliefsOf(run: RunRecord): string[] {
  return salesOfPos(run)
    .flatMap(({ beliefs }) => beliefs.slice(-1))
    .map(({ believes }) => believes)
    .sort();
}

/** Returns the sales of the point of sale, without the sales of pinpad's own screen and console. */
function salesOfPos({ sales }: RunRecord): Sale[] {
  return sales.filter(({ own }) => own === null);
}

/** Returns the sum that customers were charged in all sales, after reversals. */
function sumNetCharges(run: RunRecord): number {
  return sum(
    salesOfPos(run).filter(({ kind }) => kind === 'payment' || kind === 'charge'),
    ({ attempts }) => sum(attempts, ({ charged }) => charged ?? 0),
  );
}

/** Returns the amount that the customer was charged in a sale, before any money was given back at a terminal. */
function sumChargesBeforeGivingBack({ attempts }: Sale): number {
  return sum(attempts, ({ charged }) => Math.max(0, charged ?? 0));
}

/** Returns the sum of all refunds of debits, and of all reversals and refunds at terminals. */
function sumGivenBack(run: RunRecord): number {
  const attempts = salesOfPos(run).flatMap((sale) => sale.attempts);
  const ofDebits = attempts.filter(({ kind, outcome }) => kind === 'refund' && outcome !== 'failure');
  const atTerminals = attempts.filter(({ kind }) => kind === 'reversal' || kind === 'cardRefund');
  return sum(
    [sum(ofDebits, ({ amount }) => amount ?? 0), -sum(atTerminals, ({ charged }) => charged ?? 0)],
    (of) => of,
  );
}

/**
 * Whether the point of sale began a payment before it was told the outcome of an earlier payment that moved money. The
 * two payments may belong to different sales, because payments without a common reference are separate sales.
 */
function beganUnlearnt(run: RunRecord): boolean {
  const sales = salesOfPos(run).filter(({ kind }) => kind === 'payment' || kind === 'charge');
  const attempts = sales
    .flatMap((sale) => sale.attempts)
    .filter(({ kind }) => kind !== 'reversal' && kind !== 'cardRefund');
  const calls = sales.flatMap((sale) => sale.calls);
  return attempts.some((earlier) => {
    const { payment, charged, acceptedAt } = earlier;
    if (acceptedAt === null || (charged ?? 0) === 0) return false;
    const learntAt = calls.find((call) => call.told && call.payment === payment)?.endedAt;
    return attempts.some(
      (next) =>
        next !== earlier &&
        next.acceptedAt !== null &&
        next.acceptedAt >= acceptedAt &&
        (learntAt == null || learntAt > next.acceptedAt),
    );
  });
}

/** Calls `check` with the latest belief of each sale, and returns the first complaint. */
function findFirstComplaint(
  run: RunRecord,
  check: (sale: Sale, belief: Belief) => string | undefined,
): string | undefined {
  for (const sale of salesOfPos(run)) {
    const belief = sale.beliefs.at(-1);
    const says = belief && check(sale, belief);
    if (says !== undefined) return says;
  }
  return undefined;
}

/** Whether the point of sale has said nothing about the sale, or has said that it does not know the outcome. */
function leftOpen({ beliefs }: Sale): boolean {
  return (beliefs.at(-1)?.believes ?? 'unknown') === 'unknown';
}

/**
 * Whether the point of sale says that it does not know the outcome, or has said nothing and was not told the outcome.
 */
function isUnknown({ beliefs, told }: Sale): boolean {
  const belief = beliefs.at(-1);
  return belief ? belief.believes === 'unknown' : told === 'untold';
}

/**
 * Whether the point of sale asked for the outcome after the fault and was not told, although it asked often enough.
 * It asked often enough if it asked more than once, or if no fault happened at its only question. If a fault happened
 * at that question, it should have asked again.
 */
function askedInVain({ calls }: Sale, withFault: ReadonlySet<string>): boolean {
  const isAsk = ({ kind }: RecordedSaleCall) => kind === 'status' || kind === 'latest' || kind === 'refunds';
  const fault = calls.findIndex((call) => withFault.has(call.requestId) && !isAsk(call));
  const asked = calls.slice(fault + 1).filter(isAsk);
  if (asked.some(({ told }) => told)) return false;
  return asked.length > 1 || asked.some(({ requestId }) => !withFault.has(requestId));
}

/**
 * Looks at the sale's payments that moved money, but whose outcome the point of sale was not told. Returns true if
 * there are such payments, and each of them still has an event on its way. Such an event could not be delivered,
 * because the webhook receiver had ended together with the command.
 */
function isOnItsWay(sale: Sale, { unjudgedDeliveries }: RunRecord): boolean {
  const untold = movedUntold(sale);
  return untold.length > 0 && untold.every(({ payment }) => unjudgedDeliveries.includes(payment ?? ''));
}

/** Returns the ids of the requests that had a fault between the point of sale and the gateway. */
function findRequestsWithFault({ entries }: RunRecord): ReadonlySet<string> {
  return new Set(entries.flatMap((entry) => (entry.kind === 'fault.injected' ? [entry.data.requestId] : [])));
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return Math.round(items.reduce((total, item) => total + of(item), 0) * 1e4) / 1e4;
}
