import type { Gateway } from '../gateway/index.ts';
import { formatDecimalAmount, majorToMinorOrFault } from '../shared/money.ts';
import type { PaymentExplanation, TuiPayment } from '../terminal-emulator/index.ts';

type Explanation = Awaited<ReturnType<Gateway['explanations']['explain']>>;

/**
 * Returns what a gateway knows about one payment, for the screen: the acquirer's entries, the answer to the point of
 * sale, and whether the two agree.
 */
export async function readPaymentDetails(
  { explanations }: Gateway,
  paymentId: string,
): Promise<PaymentExplanation> {
  const explanation = await explanations.explain(paymentId);
  const { currency, original, givenBack, answer, warnings, ledger, result, ...said } = explanation;
  const moved = ledger.reduce(
    (sum, { kind, amount }) => sum + (signs[kind] ?? 0) * minorOf(amount, currency),
    0,
  );
  const reported = reportedIn(explanation);
  return {
    currency,
    original,
    givenBack: givenBack > 0 ? formatDecimalAmount(minorOf(givenBack, currency), currency) : undefined,
    idempotencyKey: said.idempotencyKey,
    saleReferenceId: said.saleReferenceId,
    rule: said.rule,
    why: said.why,
    ledger: ledger.map((entry) => ({
      ...entry,
      at: Date.parse(entry.at),
      amount: formatDecimalAmount(minorOf(entry.amount, currency), currency),
    })),
    moved: formatDecimalAmount(moved, currency),
    reported: formatDecimalAmount(reported, currency),
    agree: result === null ? undefined : moved === reported,
    answer,
    warnings,
  };
}

/** The maximum number of stored payments that are listed. */
const listed = 200;

/** Returns the payments that a gateway has stored, oldest first. */
export async function readStoredPayments({ explanations }: Gateway): Promise<TuiPayment[]> {
  const latest = await explanations.list({ limit: listed });
  return latest.reverse().map(storedPayment);
}

function storedPayment(payment: Awaited<ReturnType<Gateway['explanations']['list']>>[number]): TuiPayment {
  const { identifier: id, kind, currency, amount, total, acceptedAt, concludedAt, reason } = payment;
  const ended = concludedAt !== null && {
    seq: 0,
    at: Date.parse(concludedAt),
    success: payment.result === 'success',
    errorCondition: payment.errorCondition ?? undefined,
    why: reason ?? '',
  };
  return {
    id,
    terminal: payment.poiId ?? '',
    requestId: '',
    acceptedAt: Date.parse(acceptedAt),
    currency,
    requested: minorOf(amount, currency),
    ...(kind !== 'payment' && { givesBack: kind }),
    ...(total !== null && { total: minorOf(total, currency) }),
    ...(ended && { ended }),
  };
}

/**
 * How a kind of ledger entry changes the money that the issuer has moved: 1 adds the entry's amount, and -1 subtracts
 * it. Entries of other kinds do not count.
 */
const signs: Partial<Record<Explanation['ledger'][number]['kind'], 1 | -1>> = {
  authorized: 1,
  refunded: 1,
  reversed: -1,
  returned: -1,
};

function minorOf(major: number, currency: string): number {
  const minor = majorToMinorOrFault(major, currency);
  return typeof minor === 'number' ? minor : 0;
}

/**
 * Returns the amount that the answer reports as authorized or given back, in minor units; 0 if the answer reports a
 * failure.
 */
function reportedIn({ answer, kind, result, total, currency }: Explanation): number {
  // The payments API has no answer for a reversal or a refund. So the total of the result counts as the reported
  // amount.
  if (kind !== 'payment') return result === 'success' ? minorOf(total ?? 0, currency) : 0;
  if (answer?.response.result !== 'success') return 0;
  return Number(answer.response.additionalResponse?.posAuthAmountValue ?? 0);
}
