import { asRecord } from '../../shared/journal-fields.ts';
import { type ErrorCondition, lowerCamel } from '../../shared/nexo/enums.ts';

/**
 * The outcome of a payment or reversal by a nexo answer: to itself, or to a status request, which repeats that answer
 * or says why it cannot. Undefined if it is no answer of nexo; words if it says something else.
 */
export function nexoOutcomeIn({
  SaleToPOIResponse,
  SaleToPOIRequest,
}: Record<string, unknown>): string | undefined {
  const { EventNotification } = asRecord(SaleToPOIRequest);
  if (EventNotification !== undefined) return `an event: ${JSON.stringify(EventNotification)}`;
  if (SaleToPOIResponse === undefined) return undefined;
  const { PaymentResponse, ReversalResponse, TransactionStatusResponse } = asRecord(SaleToPOIResponse);
  const { RepeatedMessageResponse, Response } = asRecord(TransactionStatusResponse);
  const { RepeatedResponseMessageBody } = asRecord(RepeatedMessageResponse);
  const repeated = asRecord(RepeatedResponseMessageBody);
  const said = PaymentResponse ?? ReversalResponse ?? repeated.PaymentResponse ?? repeated.ReversalResponse;
  const { Result, ErrorCondition } = asRecord(said ? asRecord(said).Response : Response);
  if (Result === 'Success') return 'success';
  return typeof ErrorCondition === 'string'
    ? lowerCamel(ErrorCondition as ErrorCondition)
    : 'not in the answer';
}
