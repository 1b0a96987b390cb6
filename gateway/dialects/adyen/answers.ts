import { isoTime } from '../../../shared/clock.ts';
import { maskCardNumbers } from '../../../shared/masking/card-numbers.ts';
import type { ErrorCondition } from '../../../shared/nexo/enums.ts';
import { encodePairs } from '../../../shared/nexo/pairs.ts';
import { fieldOf, type MessageHeader } from './message.ts';

/** The result of a message: either the body of the response, or the text of the event that rejects the message. */
export type ResponseOrRejection = { readonly response: object } | { readonly rejected: string };

/** Makes the answer to a message: a response, or an event that rejects the message `json`. */
export function makeAnswerMessage(
  said: ResponseOrRejection,
  { header, json, now }: { header: MessageHeader; json: unknown; now: number },
): object {
  return 'rejected' in said
    ? makeRejectionEvent(json, said.rejected, now)
    : makeResponseMessage(header, said.response);
}

/** Makes the response to a message. The response's header repeats the header of the request. */
export function makeResponseMessage(header: MessageHeader, body: object) {
  return {
    SaleToPOIResponse: {
      MessageHeader: { ...header, MessageType: 'Response' },
      [`${header.MessageCategory}Response`]: body,
    },
  };
}

/** Makes the field Response for a message that was not carried out. */
export function makeFailureField(
  condition: ErrorCondition,
  message: string,
  more: Record<string, string> = {},
) {
  const AdditionalResponse = encodePairs(Object.entries({ message, ...more }));
  return { Response: { Result: 'Failure', ErrorCondition: condition, AdditionalResponse } };
}

export const successField = { Response: { Result: 'Success' } };

/**
 * Makes an event that rejects a message. The event is sent instead of a response if the message did not reach its
 * terminal or cannot be read. The event's text is encoded like a form. The text of a response is encoded in another
 * way.
 */
export function makeRejectionEvent(json: unknown, message: string, now: number) {
  const header = fieldOf(fieldOf(json, 'SaleToPOIRequest'), 'MessageHeader');
  const text = (name: string) => {
    const value = fieldOf(header, name);
    return typeof value === 'string' && value.length <= 255 ? maskCardNumbers(value) : undefined;
  };
  const raw = typeof json === 'string' ? json : (JSON.stringify(json) ?? '');
  const ServiceID = text('ServiceID');
  return {
    SaleToPOIRequest: {
      MessageHeader: {
        ProtocolVersion: '3.0',
        MessageClass: 'Event',
        MessageCategory: 'Event',
        MessageType: 'Notification',
        ...(ServiceID !== undefined && { ServiceID }),
        DeviceID: String(now % 1_000_000_000).padStart(9, '0'),
        SaleID: text('SaleID') ?? 'N/A',
        POIID: text('POIID') ?? 'N/A',
      },
      EventNotification: {
        TimeStamp: isoTime(now),
        EventToNotify: 'Reject',
        EventDetails: new URLSearchParams({ message: maskCardNumbers(message) }).toString(),
        RejectedMessage: Buffer.from(maskCardNumbers(raw)).toString('base64'),
      },
    },
  };
}
