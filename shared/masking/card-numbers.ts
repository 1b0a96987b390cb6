import { luhnHolds } from './luhn.ts';
import { maskPan } from './mask-pan.ts';

const [shortest, longest] = [12, 19];
const space = ' \\u00a0\\u2007\\u2009\\u202f\\u2010-\\u2015\\u2212-';
const alone = '(?![0-9A-Za-z])';
const uuid = `[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}${alone}`;
const plain = patterns(`[${space}]{1,3}`, '(?<![0-9A-Za-z])|(?<=%[Bb])'); // the first track of a stripe begins with %B
/** As forms and addresses have text: what stands beside a number, and between its groups, may be percent-encoded. */
const encoded = patterns(
  `(?:[+${space}]|%20|%2[Dd]|%C2%A0|%E2%80%(?:8[79]|9[0-5]|AF)){1,3}`,
  '(?<![0-9A-Za-z]|%[0-9A-Fa-f]?)|(?<=%(?:[0189A-Fa-f2][0-9A-Fa-f]|3[A-Fa-f]|40|5[B-Fb-f]|60|7[B-Fb-f]))',
);

interface Patterns {
  /** Groups of digits that touch no letter, or a UUID. */
  runs: RegExp;
  betweenGroups: RegExp;
}

function patterns(separator: string, beginning: string): Patterns {
  const run = `(?:${beginning})(?:(${uuid})|\\d+(?:${separator}(?!${uuid})\\d+)*${alone})`;
  return { runs: new RegExp(run, 'g'), betweenGroups: new RegExp(`(${separator})`) };
}

/** How the digits of a card number are shown. */
type ShowNumber = (digits: string) => string;

/**
 * Text with everything in it masked that looks like a card number (B126): 12 to 19 digits that pass Luhn,
 * whatever spaces and dashes are between them, standing alone.
 */
export function maskCardNumbers(text: string, show: ShowNumber = maskPan): string {
  if (!hasEnoughDigits(text)) return text;
  const masked = maskRuns(text, plain, show);
  return /[%+]/.test(masked) ? maskRuns(masked, encoded, show) : masked;
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
 * The beginning of a text, in which no card number is cut short of being recognised. It is a copy, because a part of a
 * text keeps all of it in memory.
 */
export function beginningOf(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(maskCardNumbers(text).slice(0, length)).toString();
}

/** Whether twelve digits follow each other with no letter between: all that text without a card number costs. */
function hasEnoughDigits(text: string): boolean {
  if (text.length < shortest) return false;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) {
      if (++digits === shortest) return true;
    } else if (!mayBeBetween(code) && text.charCodeAt(at - 2) !== 37) digits = 0;
  }
  return false;
}

/** Space, dash, the beginning of an escape, a form's space, and anything that is no ASCII. */
function mayBeBetween(code: number): boolean {
  return code === 32 || code === 45 || code === 37 || code === 43 || code > 127;
}

/**
 * `parts` are digits and what is between them, in turn. A number may have an expiry or another number beside it, so any
 * groups in succession may be one.
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

/** Where the longest card number that begins with the group at `from` ends. */
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
