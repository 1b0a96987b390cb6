/** A report from the other end of a link about the messages that this end has sent. */
type Said = { readonly acknowledged: number } | { readonly refused: number; readonly reason: string };

/** The maximum number of characters in the reason of a refusal. */
const longestReason = 200;

/** Makes the frame that reports how many messages have been handled. */
export const makeAcknowledgementFrame = (count: number): string => `{"Acknowledged":${count}}`;

/** Makes the frame that says that the message with the number `count` cannot be read. */
export const makeRefusalFrame = (count: number, reason: string): string =>
  JSON.stringify({ Refused: count, Reason: reason.slice(0, longestReason) });

/**
 * Reads a report from the other end of a link. Returns undefined if the text is a message and not a report. If the
 * count in the report is not a whole number, the count becomes NaN.
 */
export function readDeliveryReport(json: unknown): Said | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  if ('Acknowledged' in json) return { acknowledged: countIn(json.Acknowledged) };
  if (!('Refused' in json)) return undefined;
  // Only a text is accepted as a reason: String() throws for some other values, such as { "toString": 1 }.
  const reason = 'Reason' in json && typeof json.Reason === 'string' ? json.Reason : '';
  return { refused: countIn(json.Refused), reason: reason.slice(0, longestReason) };
}

function countIn(value: unknown): number {
  return Number.isInteger(value) ? (value as number) : Number.NaN;
}
