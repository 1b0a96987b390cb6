/** A report from the other end about the messages that were sent to it. */
type Said = { readonly acknowledged: number } | { readonly refused: number; readonly reason: string };

/** The longest reason of a refusal, in characters. */
const longestReason = 200;

/** Reports the number of messages that have been handled. */
export const acknowledgementFrame = (count: number): string => `{"Acknowledged":${count}}`;

/** Says that the message with this number cannot be read. */
export const refusal = (count: number, reason: string): string =>
  JSON.stringify({ Refused: count, Reason: reason.slice(0, longestReason) });

/** Reads a report from the other end; undefined if the text is a message. A count that is no number becomes NaN. */
export function saidIn(json: unknown): Said | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  if ('Acknowledged' in json) return { acknowledged: countIn(json.Acknowledged) };
  if (!('Refused' in json)) return undefined;
  // Only a text is accepted as reason: String() throws for some values, such as { "toString": 1 }.
  const reason = 'Reason' in json && typeof json.Reason === 'string' ? json.Reason : '';
  return { refused: countIn(json.Refused), reason: reason.slice(0, longestReason) };
}

function countIn(value: unknown): number {
  return Number.isInteger(value) ? (value as number) : Number.NaN;
}
