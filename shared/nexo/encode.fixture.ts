import { type Body, encodeText, type Kind } from './message.ts';

/** A message as the JSON envelope that goes on the wire. */
export function encode<K extends Kind>(
  kind: K,
  ids: { serviceId: string; poiId: string },
  body: Body<K>,
): string {
  return encodeText(kind, ids, JSON.stringify(body));
}
