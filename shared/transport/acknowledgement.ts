/** A report of the other end on the messages that it was sent. */
type Said = { readonly acknowledged: number } | { readonly refused: number; readonly reason: string };

/** Longest reason of a refusal, in characters. */
const longestReason = 200;

/** The number of messages that have been handled. */
export const acknowledgementFrame = (count: number): string => `{"Acknowledged":${count}}`;

/** The count-th message cannot be read. */
export const refusal = (count: number, reason: string): string =>
  JSON.stringify({ Refused: count, Reason: reason.slice(0, longestReason) });

/** Reads an acknowledgement, with NaN for a count that is none; undefined if the text is a message. */
export function saidIn(json: unknown): Said | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  if ('Acknowledged' in json) return { acknowledged: countIn(json.Acknowledged) };
  if (!('Refused' in json)) return undefined;
  // Not every value can be made text: String() throws for { "toString": 1 }.
  const reason = 'Reason' in json && typeof json.Reason === 'string' ? json.Reason : '';
  return { refused: countIn(json.Refused), reason: reason.slice(0, longestReason) };
}

function countIn(value: unknown): number {
  return Number.isInteger(value) ? (value as number) : Number.NaN;
}
