/** Encodes key=value pairs the way nexo's AdditionalResponse, Text and ReferenceID carry them (reference nexo §3). */
export function encodePairs(pairs: Iterable<readonly [string, string]>): string {
  let text = '';
  for (const [key, value] of pairs) text += `${text === '' ? '' : '&'}${percent(key)}=${percent(value)}`;
  return text;
}

/** Reads what {@link encodePairs} wrote, in order. A plus is a plus: nexo writes spaces as %20. */
export function decodePairs(text: string): [string, string][] {
  if (text === '') return [];
  return text.split('&').map((part) => {
    const at = part.indexOf('=');
    return at < 0 ? [decoded(part), ''] : [decoded(part.slice(0, at)), decoded(part.slice(at + 1))];
  });
}

/** A receipt has over a hundred of these, most of them plain. */
function decoded(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text;
}

/** What is written as it is; most of what is sent, and there are hundreds of values in a payment's receipts. */
const unreserved = /^[\w.~-]*$/;
const onlySpaces = /^[\w.~ -]*$/;

/** One key or value as {@link encodePairs} writes it. */
export function percent(text: string): string {
  if (unreserved.test(text)) return text;
  if (onlySpaces.test(text)) return text.replaceAll(' ', '%20');
  return encodeURIComponent(text).replace(/[!'()*]|%[0-9A-F]{2}/g, (match) =>
    match.length === 1 ? `%${match.charCodeAt(0).toString(16)}` : match.toLowerCase(),
  );
}
