import { luhnHolds } from './luhn.ts';
import { maskPan } from './mask-pan.ts';

const [shortest, longest] = [12, 19];
/**
 * The spaces and dashes that can stand between groups of digits. The hyphen is last, because the characters are put
 * into a character class.
 */
const separators =
  '\t \u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\u2010\u2011\u2012\u2013\u2014\u2015\u2212-';
/** The same characters in percent-encoding, in which they stand in URLs and forms. */
const encodedSeparators = Array.from(separators, percentEncoded).join('|');
/** The end of a number: no letter or digit follows. */
const wordEnd = '(?![0-9A-Za-z])';
const uuid = `[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}${wordEnd}`;
const plainText = patternsFor(`[${separators}]{1,3}`, '(?<![0-9A-Za-z])|(?<=%[Bb])'); // the first track of a stripe begins with %B
/**
 * These patterns find card numbers in forms and URLs. In forms and URLs, the characters beside a number and between its
 * groups of digits can be percent-encoded.
 */
const encodedText = patternsFor(
  `(?:[+${separators}]|${encodedSeparators}){1,3}`,
  // The beginning of a number: no letter, digit or unfinished escape comes before the number. A complete escape can
  // come before the number if that escape stands for neither a letter nor a digit.
  '(?<![0-9A-Za-z]|%[0-9A-Fa-f]?)|(?<=%(?:[0189A-Fa-f2][0-9A-Fa-f]|3[A-Fa-f]|40|5[B-Fb-f]|60|7[B-Fb-f]))',
);

interface Patterns {
  /** Finds groups of digits that touch no letter. Finds whole UUIDs too, because their digits are not masked. */
  runs: RegExp;
  betweenGroups: RegExp;
}

function patternsFor(separator: string, beginning: string): Patterns {
  const run = `(?:${beginning})(?:(${uuid})|\\d+(?:${separator}(?!${uuid})\\d+)*${wordEnd})`;
  return { runs: new RegExp(run, 'g'), betweenGroups: new RegExp(`(${separator})`) };
}

/** Returns a pattern for the UTF-8 bytes of a character in percent-encoding, in capital or small letters. */
function percentEncoded(character: string): string {
  const hex = Buffer.from(character).toString('hex');
  return hex.replaceAll(/../g, '%$&').replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** Returns the form in which the digits of a card number are shown. */
type ShowNumber = (digits: string) => string;

/**
 * Masks everything in a text that looks like a card number (B126). A card number is 12 to 19 digits that pass Luhn's
 * check and touch no letter or further digit. Spaces and dashes can stand between the digits.
 */
export function maskCardNumbers(text: string, show: ShowNumber = maskPan): string {
  if (!hasEnoughDigits(text)) return text;
  const masked = maskRuns(text, plainText, show);
  return /[%+]/.test(masked) ? maskRuns(masked, encodedText, show) : masked;
}

function maskRuns(text: string, { runs, betweenGroups }: Patterns, show: ShowNumber): string {
  return text.replaceAll(runs, (run: string, id?: string) =>
    id === undefined ? maskRun(run.split(betweenGroups), show) : run,
  );
}

/** Whether something in a text looks like a card number. */
export function holdsCardNumber(text: string): boolean {
  return maskCardNumbers(text) !== text;
}

/**
 * Gives the beginning of a text. Card numbers are masked before the text is cut, because a part of a card number would
 * not be recognised. The result is a copy, because `slice` alone would keep the whole text in memory.
 */
export function maskAndTruncate(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(maskCardNumbers(text).slice(0, length)).toString();
}

const [tab, space, percentSign, plus, dash] = [9, 32, 37, 43, 45];

/**
 * Whether a text has twelve digits without a letter between them. If not, the text contains no card number, and no
 * further check is needed.
 */
function hasEnoughDigits(text: string): boolean {
  if (text.length < shortest) return false;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) {
      if (++digits === shortest) return true;
    } else if (!mayBeBetween(code) && !mayBeInEscape(text, at)) digits = 0;
  }
  return false;
}

/** Whether a letter can be one of the two digits of an escape such as %2D or %C2, which can stand between digits. */
function mayBeInEscape(text: string, at: number): boolean {
  return text.charCodeAt(at - 1) === percentSign || text.charCodeAt(at - 2) === percentSign;
}

/**
 * Whether a character can stand between the digits of a card number: a space, a tab, a dash, the percent sign of an
 * escape, a plus sign (the space of a form), or any character outside ASCII.
 */
function mayBeBetween(code: number): boolean {
  return (
    code === space || code === dash || code === percentSign || code === plus || code === tab || code > 127
  );
}

/**
 * Masks the card numbers in a run of digit groups. In `parts`, groups of digits and separators alternate. An expiry or
 * another number can stand beside a card number, so a card number can begin and end with any group.
 */
function maskRun(parts: readonly string[], show: ShowNumber): string {
  let masked = '';
  for (let at = 0; at < parts.length; ) {
    const end = at % 2 === 0 ? numberEnd(parts, at) : undefined;
    masked += end === undefined ? parts[at] : show(digitsOf(parts.slice(at, end)));
    at = end ?? at + 1;
  }
  return masked;
}

function digitsOf(parts: readonly string[]): string {
  return parts.filter((_part, index) => index % 2 === 0).join('');
}

/**
 * Finds the longest card number that begins with the group at `from`. Gives the index in `parts` after this card
 * number; undefined if no card number begins there.
 */
function numberEnd(parts: readonly string[], from: number): number | undefined {
  let digits = '';
  let end: number | undefined;
  for (let at = from; at < parts.length; at += 2) {
    digits += parts[at];
    if (digits.length > longest) break;
    if (digits.length >= shortest && luhnHolds(digits)) end = at + 1;
  }
  return end;
}
