import { luhnHolds } from './luhn.ts';
import { maskPan } from './mask-pan.ts';

const [shortest, longest] = [12, 19];
const separator = '[ \\u00a0\\u2007\\u2009\\u202f\\u2010-\\u2015\\u2212-]{1,3}';
const alone = '(?![0-9A-Za-z])';
const uuid = `[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}${alone}`;
/** Groups of digits that touch no letter, or a UUID. The first track of a stripe has its number after `%B`. */
const runs = new RegExp(
  `(?:(?<![0-9A-Za-z])|(?<=%[Bb]))(?:(${uuid})|\\d+(?:${separator}(?!${uuid})\\d+)*${alone})`,
  'g',
);
const betweenGroups = new RegExp(`(${separator})`);

/** How the digits of a card number are shown. */
export type ShowNumber = (digits: string) => string;

/**
 * Text with everything in it masked that looks like a card number (decision 66): 12 to 19 digits that pass Luhn,
 * whatever spaces and dashes are between them, standing alone.
 */
export function maskCardNumbers(text: string, show: ShowNumber = maskPan): string {
  if (!hasEnoughDigits(text)) return text;
  return text.replaceAll(runs, (run: string, id?: string) => (id === undefined ? maskRun(run, show) : run));
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
    } else if (code !== 32 && code !== 45 && code < 128) digits = 0;
  }
  return false;
}

/** A number may have an expiry or another number beside it, so any groups in succession may be one. */
function maskRun(run: string, show: ShowNumber): string {
  const parts = run.split(betweenGroups); // digits and separators in turn
  let masked = '';
  for (let at = 0; at < parts.length; ) {
    const end = at % 2 === 0 ? numberEnd(parts, at) : undefined;
    const part = parts.slice(at, end ?? at + 1).join('');
    masked += end === undefined ? part : show(part.replaceAll(/\D/g, ''));
    at = end ?? at + 1;
  }
  return masked;
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
