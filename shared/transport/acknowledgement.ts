/** What the other end says of messages it was sent. */
type Said = { readonly acknowledged: number } | { readonly refused: number; readonly reason: string };

/** Longest reason of a refusal, in characters. */
const longestReason = 200;

/** So many messages have been handled. */
export const acknowledgementFrame = (count: number): string => `{"Acknowledged":${count}}`;

/** The count-th message cannot be read. */
export const refusal = (count: number, reason: string): string =>
  JSON.stringify({ Refused: count, Reason: reason.slice(0, longestReason) });

/** What the other end says so, with NaN for what is no count; undefined for a message of its own. */
export function saidIn(json: unknown): Said | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  if ('Acknowledged' in json) return { acknowledged: countIn(json.Acknowledged) };
  if (!('Refused' in json)) return undefined;
  // What is no text cannot always be made one: String() throws for { "toString": 1 }.
  const reason = 'Reason' in json && typeof json.Reason === 'string' ? json.Reason : '';
  return { refused: countIn(json.Refused), reason: reason.slice(0, longestReason) };
}

function countIn(value: unknown): number {
  return Number.isInteger(value) ? (value as number) : Number.NaN;
}
