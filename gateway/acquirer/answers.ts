import type { AcquirerRequest, AcquirerResponse } from '../../shared/nexo/acquirer.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import { type Attempt, cardApplicationName, movesMoney } from './attempts.ts';

/** A terminal's request to take money or to give money back. The host decides on the request. */
export type ApprovalRequest = Extract<AcquirerRequest, { Type: 'Authorize' | 'Refund' }>;

/**
 * The refusal of an attempt if its payment is over, or if the attempt was reversed. In both cases, nothing more can be
 * authorized (B134).
 */
export const closedPaymentRefusal = {
  errorCondition: 'Refusal',
  refusalReason: '214 Declined online',
  message: 'PAYMENT_CLOSED',
} as const;

/**
 * The refusal if the terminal and the POS contradict each other: one of them takes money, and the other gives money
 * back.
 */
export const kindMismatchRefusal = {
  errorCondition: 'NotAllowed',
  refusalReason: 'another kind of transaction than was requested',
  message: 'OTHER_KIND',
} as const;

/**
 * The refusal if the terminal asks for another currency or a smaller amount than the POS ordered. When money is given
 * back, the amount must be exactly the ordered amount.
 */
export const amountMismatchRefusal = {
  errorCondition: 'NotAllowed',
  refusalReason: 'another amount than was requested',
  message: 'OTHER_AMOUNT',
} as const;

/**
 * Returns the answer that this attempt got before. Returns undefined if there was no answer, or if the answer was an
 * approval that was reversed.
 */
export function findEarlierAnswerEntry({ answer, ended }: Attempt = { ended: false }): LedgerRow | undefined {
  return answer && movesMoney(answer.kind) && ended ? undefined : answer;
}

/**
 * Returns the columns of a ledger entry that come from the terminal's request. A reversal's request names no card, so
 * the column `card` is null.
 */
export function makeRequestColumns(request: ApprovalRequest) {
  const { AttemptID: attempt_id, Card } = request;
  const amount = amountInRequest(request);
  const card = Card?.MaskedPan ?? null;
  return {
    amount,
    attempt_id,
    card,
    application: Card ? cardApplicationName(Card.Brand, Card.ApplicationID) : null,
  };
}

/** Returns the amount that the request takes, including the tip, or the amount that the request gives back. */
export function amountInRequest(request: ApprovalRequest): number {
  return request.Type === 'Refund' ? request.Amount : request.TotalAmount;
}

/** Turns an entry of the ledger into the answer for the terminal. */
export function answerFromEntry(request: ApprovalRequest, entry: LedgerRow): AcquirerResponse {
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

/** Makes the refusal for a payment that the host does not know. */
export function makeUnknownPaymentAnswer(request: ApprovalRequest): AcquirerResponse {
  return notAllowed(request, 'unknown payment', 'UNKNOWN_PAYMENT');
}

/** Makes the refusal if two requests of one attempt differ in kind: one takes money, and the other gives money back. */
export function makeKindMismatchAnswer(request: ApprovalRequest): AcquirerResponse {
  return notAllowed(request, kindMismatchRefusal.refusalReason, kindMismatchRefusal.message);
}

/** Makes a refusal that has no entry in the ledger. */
function notAllowed(request: ApprovalRequest, reason: string, message: string): AcquirerResponse {
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

/** Returns the columns of a ledger entry for a refusal. */
export function makeRefusalColumns(behaviour: {
  errorCondition: string;
  refusalReason: string;
  message: string;
}) {
  const { errorCondition: error_condition, refusalReason: refusal_reason, message } = behaviour;
  return { error_condition, refusal_reason, message };
}
