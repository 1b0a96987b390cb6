import type { AcquirerRequest, AcquirerResponse } from '../../shared/nexo/acquirer.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import { type Attempt, applicationOf } from './attempts.ts';

type Authorize = Extract<AcquirerRequest, { Type: 'Authorize' }>;

/** Nothing can be authorized any more: for a payment that is over, or in an attempt that was reversed (B134). */
export const closedAnswer = {
  errorCondition: 'Refusal',
  refusalReason: '214 Declined online',
  message: 'PAYMENT_CLOSED',
} as const;

/** An authorization in another currency, or of less than the point of sale asked for, is not the payment's. */
export const otherAmount = {
  errorCondition: 'NotAllowed',
  refusalReason: 'another amount than was requested',
  message: 'OTHER_AMOUNT',
} as const;

/** The answer given before in an attempt; an authorization reversed since does not count. */
export function answerBefore(attempt: Attempt | undefined): LedgerRow | undefined {
  return attempt?.answer?.kind === 'authorized' && attempt.ended ? undefined : attempt?.answer;
}

/** What is asked for in an attempt, as the ledger has it. */
export function askedIn({ AttemptID, TotalAmount, Card }: Authorize) {
  return {
    amount: TotalAmount,
    attempt_id: AttemptID,
    card: Card.MaskedPan,
    application: applicationOf(Card.Brand, Card.ApplicationID),
  };
}

/** An entry of the ledger as the terminal gets it. */
export function answerOf(request: Authorize, entry: LedgerRow): AcquirerResponse {
  const common = {
    Type: 'Authorize',
    PaymentReference: request.PaymentReference,
    AttemptID: request.AttemptID,
    PspReference: entry.psp_reference,
  } as const;
  if (entry.kind === 'authorized')
    return { ...common, Approved: true, AuthCode: entry.auth_code ?? '', AcquirerResponseCode: 'APPROVED' };
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

/** This terminal may not have the payment authorized. */
export function unknownPayment(request: Authorize): AcquirerResponse {
  return {
    Type: 'Authorize',
    PaymentReference: request.PaymentReference,
    AttemptID: request.AttemptID,
    PspReference: '',
    Approved: false,
    ErrorCondition: 'NotAllowed',
    RefusalReason: 'unknown payment',
    Message: 'UNKNOWN_PAYMENT',
    AcquirerResponseCode: 'UNKNOWN_PAYMENT',
  };
}

/** A refusal as the ledger has it. */
export function refused(behaviour: { errorCondition: string; refusalReason: string; message: string }) {
  const { errorCondition: error_condition, refusalReason: refusal_reason, message } = behaviour;
  return { error_condition, refusal_reason, message };
}
