/** Encodes key=value pairs as nexo's AdditionalResponse, Text and ReferenceID carry them. */
export function encodePairs(pairs: Iterable<readonly [string, string]>): string {
  let text = '';
  for (const [key, value] of pairs) text += `${text === '' ? '' : '&'}${percent(key)}=${percent(value)}`;
  return text;
}

/** Reads what {@link encodePairs} wrote, in order. A plus sign stays a plus sign: nexo writes spaces as %20. */
export function decodePairs(text: string): [string, string][] {
  const pairs: [string, string][] = [];
  readPairs(text, (name, value) => pairs.push([name, value]));
  return pairs;
}

/** Does the same as {@link decodePairs} without a list: a payment's receipts have more than 150 pairs. */
export function readPairs(text: string, take: (name: string, value: string) => void): void {
  if (text === '') return;
  let equals = -1;
  for (let from = 0; from <= text.length; ) {
    const ampersand = text.indexOf('&', from);
    const to = ampersand < 0 ? text.length : ampersand;
    // The equals sign is searched for once, not for each name without a value: a text may have very many such names.
    if (equals < from) equals = text.indexOf('=', from);
    if (equals < 0) equals = text.length;
    if (equals >= to) take(decoded(text.slice(from, to)), '');
    else take(decoded(text.slice(from, equals)), decoded(text.slice(equals + 1, to)));
    from = to + 1;
  }
}

/** Gives the value of a name in a text that {@link encodePairs} wrote; the last value if there are several. */
export function valueNamed(text: string, name: string): string | undefined {
  let value: string | undefined;
  readPairs(text, (one, content) => {
    if (one === name) value = content;
  });
  return value;
}

/** Decodes a text; most texts have nothing encoded. */
function decoded(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text;
}

/** Texts that need no encoding: most of the hundreds of values in a payment's receipts. */
const unreserved = /^[\w.~-]*$/;

/**
 * Encodes one key or value as {@link encodePairs} does. Half a surrogate pair, which UTF-8 cannot have, becomes U+FFFD.
 */
export function percent(text: string): string {
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
 * The encoded form of every ASCII character. A text that needs encoding is mostly a time or an amount, with one or two
 * such characters.
 */
const ascii = Array.from({ length: 128 }, (_, code) => percentAny(String.fromCharCode(code)));

function percentAny(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]|%[0-9A-F]{2}/g, (match) =>
    match.length === 1 ? `%${match.charCodeAt(0).toString(16)}` : match.toLowerCase(),
  );
}
