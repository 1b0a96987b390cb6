import type { ApprovalRequest } from '../../gateway/acquirer/answers.ts';
import { ApiError } from '../../gateway/http/errors.ts';
import { amountToGiveBack } from '../../gateway/payments/amount-to-give-back.ts';
import type { OriginalPayment } from '../../gateway/payments/core/giving-back.ts';
import { readStoredOutcome } from '../../gateway/payments/core/outcome.ts';
import type { Input, TerminalAnswer } from '../../gateway/payments/core/step.ts';
import type { PaymentKind } from '../../gateway/store/rows/payments.ts';
import type { Disk } from './disk.ts';
import { makeAuthorizationRequest, makePaymentResponse, maskedCardNumber } from './inputs.ts';

type Accepted = Extract<Input, { is: 'accepted' }>;

/** The amounts that a reversal asks for: all that is left (undefined), a part of it, or more than can be left. */
export const amountsToReverse = [undefined, undefined, 1_000, 1_500, 64, 2_500] as const;

export function toRefundInput({ row, payment, ...more }: Accepted): Accepted {
  return { ...more, row: { ...row, kind: 'refund' }, payment: { ...payment, kind: 'refund' } };
}

export function toReversalInput(
  { row, payment, ...more }: Accepted,
  { id, taken }: OriginalPayment,
): Accepted {
  return {
    ...more,
    row: { ...row, kind: 'reversal', original_id: id },
    payment: { ...payment, kind: 'reversal', originalId: id },
    taken,
  };
}

/** Returns the data that a gateway reads about a payment before it gives money back. */
export function readOriginal(disk: Disk, id: string): OriginalPayment | undefined {
  const row = disk.payments.get(id);
  if (!row) return undefined;
  const result = disk.results.get(id);
  return {
    id,
    kind: row.kind,
    currency: row.currency,
    outcome: readStoredOutcome({ answer: null, outcome: null, ...result }),
    taken: result?.total ?? 0,
    givenBack: disk.givenBack.get(id) ?? 0,
  };
}

/** Returns the amount to give back, or undefined if the reversal is refused. A refused reversal stores nothing. */
export function findAcceptedAmount(
  original: OriginalPayment,
  amount: number | undefined,
): number | undefined {
  try {
    return amountToGiveBack(original, { amount, currency: undefined });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Returns the payments that took money. Some of that money may have been given back. */
export function findPaidPayments(disk: Disk): string[] {
  return [...disk.results.values()]
    .filter((row) => row.result === 'success' && paymentKindOf(disk, row.payment_id) === 'payment')
    .map((row) => row.payment_id);
}

export function paymentKindOf(disk: Disk, id: string): PaymentKind {
  return disk.payments.get(id)?.kind ?? 'payment';
}

/**
 * Returns the request that a terminal sends to the host. The request is for a payment, for a refund with a card, or
 * for a reversal without a card.
 */
export function makeHostRequest(
  kind: PaymentKind,
  id: string,
  attempt: string,
  { amount, pin }: { amount: number; pin: 'Correct' | 'Wrong' },
): ApprovalRequest {
  if (kind === 'payment') return makeAuthorizationRequest(id, attempt, amount, pin);
  return {
    Type: 'Refund',
    PaymentReference: id,
    AttemptID: attempt,
    Currency: 'EUR',
    Amount: amount,
    ...(kind === 'refund' && { Card: { Brand: 'visa', MaskedPan: maskedCardNumber, EntryMode: 'ICC' } }),
  };
}

/** The beginning of the references in terminals' answers to reversals. The references of payments begin differently. */
export const reversalReferencePrefix = 'R.';

/** Returns a terminal's answer to a payment, a refund or a reversal, as `kind` says. */
export function makeTerminalAnswer(
  kind: PaymentKind,
  ...given: Parameters<typeof makePaymentResponse>
): TerminalAnswer {
  const paid = makePaymentResponse(...given);
  if (kind !== 'reversal') return { response: paid };
  const { Response, SaleData, POIData, PaymentResult } = paid;
  const { TimeStamp } = POIData.POITransactionID;
  const POITransactionID = { TransactionID: `${reversalReferencePrefix}${given[0]}`, TimeStamp };
  const ReversedAmount = PaymentResult?.AmountsResp?.AuthorizedAmount;
  return {
    reversal: {
      Response,
      SaleData,
      POIData: { ...POIData, POITransactionID },
      ...(ReversedAmount !== undefined && { ReversedAmount }),
    },
  };
}
