import type { AcquirerRequest, AcquirerResponse } from '../../shared/nexo/acquirer.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import { type Attempt, cardApplicationName, movesMoney } from './attempts.ts';

/** A terminal's request that the host must decide on: to take money, or to give it back. */
export type ApprovalRequest = Extract<AcquirerRequest, { Type: 'Authorize' | 'Refund' }>;

/**
 * The refusal of an attempt when the payment is over or the attempt was reversed: nothing more can be authorized
 * (B134).
 */
export const closedRefusal = {
  errorCondition: 'Refusal',
  refusalReason: '214 Declined online',
  message: 'PAYMENT_CLOSED',
} as const;

/** The refusal if the terminal wants to take money although the POS ordered to give it back, or the other way round. */
export const kindMismatchRefusal = {
  errorCondition: 'NotAllowed',
  refusalReason: 'another kind of transaction than was requested',
  message: 'OTHER_KIND',
} as const;

/**
 * The refusal if the terminal wants another currency than the POS ordered, or less money. The amount that is given
 * back must be exactly the ordered one.
 */
export const amountMismatchRefusal = {
  errorCondition: 'NotAllowed',
  refusalReason: 'another amount than was requested',
  message: 'OTHER_AMOUNT',
} as const;

/**
 * Gives the answer that the same attempt got before. Gives undefined if that answer was an approval and was reversed.
 */
export function earlierAnswerEntry({ answer, ended }: Attempt = { ended: false }): LedgerRow | undefined {
  return answer && movesMoney(answer.kind) && ended ? undefined : answer;
}

/**
 * Gives the columns of a ledger entry that come from the terminal's request. A reversal gives no card, so its column
 * `card` is null.
 */
export function requestColumns(request: ApprovalRequest) {
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

/** Gives the amount that is taken, including the tip, or the amount that is given back. */
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
export function unknownPaymentAnswer(request: ApprovalRequest): AcquirerResponse {
  return notAllowed(request, 'unknown payment', 'UNKNOWN_PAYMENT');
}

/** Makes the refusal if two requests of one attempt differ in kind: one takes money, and the other gives it back. */
export function kindMismatchAnswer(request: ApprovalRequest): AcquirerResponse {
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

/** Gives the columns of a ledger entry for a refusal. */
export function refusalColumns(behaviour: {
  errorCondition: string;
  refusalReason: string;
  message: string;
}) {
  const { errorCondition: error_condition, refusalReason: refusal_reason, message } = behaviour;
  return { error_condition, refusal_reason, message };
}
