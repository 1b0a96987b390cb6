import { holdsCardNumber } from './card-numbers.ts';

/** The maximum number of layers of percent-encoding that are decoded in a target. */
const mostLayers = 3;
/**
 * The patterns for the address of a payment link. In a path, `pay` has to be a whole word; in a query, `pay` has to be
 * between slashes. All text after `pay` counts as the secret.
 */
const payInPath = /(^|[^\w~-])pay[^\w~-].*$/is;
const payInQuery = /([/\\])pay[/\\].*$/is;
/** The number of characters that 32 random bytes have in Base64url. */
const secretLength = 43;
const longWords = new RegExp(`[\\w-]{${secretLength},}`, 'g');

/**
 * Gives the target of an HTTP request in the form that may be shown. The secret of a payment link is removed, even if
 * the address is percent-encoded. If the target contains a percent-encoded card number, the target is decoded, so that
 * the number can be found and masked later.
 */
export function maskRequestTarget(target: string): string {
  if (isPlain(target)) return target;
  let read = target;
  for (let layer = 0; layer <= mostLayers; layer++) {
    const shown = withoutLinkSecret(read);
    if (shown !== read || holdsCardNumber(read)) return shown;
    const decoded = decode(read);
    if (decoded === read) break;
    read = decoded;
  }
  return target;
}

const [percentSign, plus] = [37, 43];

/**
 * Whether a quick check shows that the target can be shown unchanged: it contains nothing encoded, no long word and no
 * word `pay`. Nearly every target passes this check.
 */
function isPlain(target: string): boolean {
  let word = 0;
  for (let at = 0; at < target.length; at++) {
    const code = target.charCodeAt(at);
    if (code === percentSign || code === plus) return false;
    word = isWordCode(code) ? word + 1 : 0;
    if (word === secretLength) return false;
  }
  return !/pay[^\w~-]/i.test(target);
}

/**
 * Whether a character is a letter, a digit, a dash or an underscore. The most frequent characters are checked first.
 */
function isWordCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 48 && code <= 57) ||
    code === 45 ||
    (code >= 65 && code <= 90) ||
    code === 95
  );
}

function withoutLinkSecret(target: string): string {
  const at = target.indexOf('?');
  const path = at === -1 ? target : target.slice(0, at);
  if (payInPath.test(target) && (payInPath.exec(target)?.index ?? 0) < path.length)
    return target.replace(payInPath, '$1pay/****');
  const hidden = path.replaceAll(longWords, (word) => (isSecret(word) ? '****' : word));
  return hidden + target.slice(path.length).replace(payInQuery, '$1pay$1****');
}

/**
 * Whether a word looks like 32 random bytes in Base64url. Such a word has small and capital letters, unlike a UUID or
 * an id made of words.
 */
function isSecret(word: string): boolean {
  return /[a-z]/.test(word) && /[A-Z]/.test(word);
}

/**
 * Decodes a percent-encoded text, and never fails. Wrong encodings and encoded characters outside ASCII stay encoded.
 */
function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  return text
    .replaceAll('+', ' ')
    .replaceAll(/%([0-7][0-9a-f])/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
