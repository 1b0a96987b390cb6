import { encodeMessage, type MessageBody, type MessageKind } from './message.ts';

/** Makes the JSON text of a message, in the form in which it is sent over a link. */
export function encode<K extends MessageKind>(
  kind: K,
  ids: { serviceId: string; poiId: string },
  body: MessageBody<K>,
): string {
  return encodeMessage(kind, ids, JSON.stringify(body));
}
