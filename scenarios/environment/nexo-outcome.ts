import { asRecord } from '../../shared/journal-fields.ts';
import { type ErrorCondition, toLowerCamel } from '../../shared/nexo/enums.ts';

/**
 * Returns the outcome that a nexo answer reports for a payment or reversal. The body may be the answer to the payment
 * or reversal itself. It may also be the answer to a status request. Such an answer repeats the first answer, or says
 * why there is none. Returns undefined if the body is no nexo message. If the answer reports no outcome, returns a
 * description of the answer.
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
    ? toLowerCamel(ErrorCondition as ErrorCondition)
    : 'not in the answer';
}
