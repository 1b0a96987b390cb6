import type { AcquirerRequest, AcquirerResponse } from '../../shared/nexo/acquirer.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import { type Attempt, applicationOf, movesMoney } from './attempts.ts';

/** A question of a terminal that the host decides: whether money is taken, or given back. */
export type Ask = Extract<AcquirerRequest, { Type: 'Authorize' | 'Refund' }>;

/**
 * The refusal if nothing can be authorized any more, because the payment is over or the attempt was reversed (B134).
 */
export const closedRefusal = {
  errorCondition: 'Refusal',
  refusalReason: '214 Declined online',
  message: 'PAYMENT_CLOSED',
} as const;

/**
 * The refusal if the terminal wants to authorize a payment whose order is to give money back, or the reverse: the point
 * of sale did not order that.
 */
export const otherKind = {
  errorCondition: 'NotAllowed',
  refusalReason: 'another kind of transaction than was requested',
  message: 'OTHER_KIND',
} as const;

/** The refusal if the terminal wants another currency, or less than the point of sale asked for. */
export const otherAmount = {
  errorCondition: 'NotAllowed',
  refusalReason: 'another amount than was requested',
  message: 'OTHER_AMOUNT',
} as const;

/** The earlier answer in the same attempt. An approval that has been reversed since does not count. */
export function answerBefore({ answer, ended }: Attempt = { ended: false }): LedgerRow | undefined {
  return answer && movesMoney(answer.kind) && ended ? undefined : answer;
}

/** Gives the request of an attempt as columns of the ledger. A reversal has no card. */
export function askedIn(request: Ask) {
  const { AttemptID: attempt_id, Card } = request;
  const amount = amountIn(request);
  const card = Card?.MaskedPan ?? null;
  return {
    amount,
    attempt_id,
    card,
    application: Card ? applicationOf(Card.Brand, Card.ApplicationID) : null,
  };
}

/** The amount that is taken, tip included, or the amount that is given back. */
export function amountIn(request: Ask): number {
  return request.Type === 'Refund' ? request.Amount : request.TotalAmount;
}

/** Writes an entry of the ledger as the answer that the terminal gets. */
export function answerOf(request: Ask, entry: LedgerRow): AcquirerResponse {
  const common = {
    Type: request.Type,
    PaymentReference: request.PaymentReference,
    AttemptID: request.AttemptID,
    PspReference: entry.psp_reference,
  } as const;
  if (movesMoney(entry.kind))
    return {
      ...common,
      Approved: true,
      ...(entry.auth_code !== null && { AuthCode: entry.auth_code }),
      AcquirerResponseCode: 'APPROVED',
    };
  const message = entry.message ?? 'DECLINED';
  return {
    ...common,
    Approved: false,
    ErrorCondition: (entry.error_condition ?? 'Refusal') as 'Refusal',
    RefusalReason: entry.refusal_reason ?? message,
    Message: message,
    AcquirerResponseCode: message,
  };
}

/** The answer to a terminal for which the payment can be neither authorized nor given back. */
export function unknownPayment(request: Ask): AcquirerResponse {
  return notAllowed(request, 'unknown payment', 'UNKNOWN_PAYMENT');
}

/** The answer if an attempt was decided as one kind of transaction, and its next request is of the other kind. */
export function otherKindAnswer(request: Ask): AcquirerResponse {
  return notAllowed(request, otherKind.refusalReason, otherKind.message);
}

/** A refusal without an entry in the ledger. */
function notAllowed(request: Ask, reason: string, message: string): AcquirerResponse {
  return {
    Type: request.Type,
    PaymentReference: request.PaymentReference,
    AttemptID: request.AttemptID,
    PspReference: '',
    Approved: false,
    ErrorCondition: 'NotAllowed',
    RefusalReason: reason,
    Message: message,
    AcquirerResponseCode: message,
  };
}

/** Makes a refusal with its entry in the ledger. */
export function declinedEntry(behaviour: { errorCondition: string; refusalReason: string; message: string }) {
  const { errorCondition: error_condition, refusalReason: refusal_reason, message } = behaviour;
  return { error_condition, refusal_reason, message };
}
