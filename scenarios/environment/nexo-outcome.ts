import { asRecord } from '../../shared/journal-fields.ts';
import { type ErrorCondition, lowerCamel } from '../../shared/nexo/enums.ts';

/**
 * How a payment ended by a nexo answer: to the payment itself, or to a status, which repeats that or says why it cannot.
 * Undefined where the answer is none of nexo's; words where it says something else.
 */
export function nexoOutcomeIn({
  SaleToPOIResponse,
  SaleToPOIRequest,
}: Record<string, unknown>): string | undefined {
  const { EventNotification } = asRecord(SaleToPOIRequest);
  if (EventNotification !== undefined) return `an event: ${JSON.stringify(EventNotification)}`;
  if (SaleToPOIResponse === undefined) return undefined;
  const { PaymentResponse, TransactionStatusResponse } = asRecord(SaleToPOIResponse);
  const { RepeatedMessageResponse, Response } = asRecord(TransactionStatusResponse);
  const { RepeatedResponseMessageBody } = asRecord(RepeatedMessageResponse);
  const said = PaymentResponse ?? asRecord(RepeatedResponseMessageBody).PaymentResponse;
  const { Result, ErrorCondition } = asRecord(said ? asRecord(said).Response : Response);
  if (Result === 'Success') return 'success';
  return typeof ErrorCondition === 'string'
    ? lowerCamel(ErrorCondition as ErrorCondition)
    : 'not in the answer';
}
