/** Encodes key=value pairs in the form of nexo's AdditionalResponse, Text and ReferenceID. */
export function encodePairs(pairs: Iterable<readonly [string, string]>): string {
  let text = '';
  for (const [key, value] of pairs)
    text += `${text === '' ? '' : '&'}${percentEncode(key)}=${percentEncode(value)}`;
  return text;
}

/**
 * Reads the pairs, in order, from a text that {@link encodePairs} wrote. A plus sign is not read as a space, because
 * nexo writes a space as %20.
 */
export function decodePairs(text: string): [string, string][] {
  const pairs: [string, string][] = [];
  forEachPair(text, (name, value) => pairs.push([name, value]));
  return pairs;
}

/**
 * Does the same as {@link decodePairs}, but calls `take` instead of making a list. A payment's receipts have more than
 * 150 pairs.
 */
export function forEachPair(text: string, take: (name: string, value: string) => void): void {
  if (text === '') return;
  let equals = -1;
  for (let from = 0; from <= text.length; ) {
    const ampersand = text.indexOf('&', from);
    const to = ampersand < 0 ? text.length : ampersand;
    // The position of the next equals sign is remembered, and is not searched for again for each name. Otherwise a text
    // with very many names without a value would be slow to read.
    if (equals < from) equals = text.indexOf('=', from);
    if (equals < 0) equals = text.length;
    if (equals >= to) take(decoded(text.slice(from, to)), '');
    else take(decoded(text.slice(from, equals)), decoded(text.slice(equals + 1, to)));
    from = to + 1;
  }
}

/**
 * Gives the value of a name in a text that {@link encodePairs} wrote. If the name has several values, gives the last
 * one.
 */
export function findPairValue(text: string, name: string): string | undefined {
  let value: string | undefined;
  forEachPair(text, (one, content) => {
    if (one === name) value = content;
  });
  return value;
}

/** Decodes a text. Most texts need no decoding. */
function decoded(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text;
}

/**
 * Matches texts that need no encoding. A payment's receipts have hundreds of values, and nearly all of them are such
 * texts.
 */
const unreserved = /^[\w.~-]*$/;

/**
 * Encodes one key or value like {@link encodePairs}. Half a surrogate pair becomes U+FFFD, because UTF-8 cannot encode
 * it.
 */
export function percentEncode(text: string): string {
  if (unreserved.test(text)) return text;
  let encoded = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const written = ascii[text.charCodeAt(at)];
    if (written === undefined) return percentAny(text);
    if (written.length === 1) continue;
    encoded += text.slice(from, at) + written;
    from = at + 1;
  }
  return encoded + text.slice(from);
}

/**
 * The encoded form of every ASCII character. Most texts that need encoding are times or amounts, with only one or two
 * characters to encode.
 */
const ascii = Array.from({ length: 128 }, (_, code) => percentAny(String.fromCharCode(code)));

function percentAny(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]|%[0-9A-F]{2}/g, (match) =>
    match.length === 1 ? `%${match.charCodeAt(0).toString(16)}` : match.toLowerCase(),
  );
}
