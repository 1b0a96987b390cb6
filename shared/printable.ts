import { escapeCodeUnit } from './ascii-json.ts';

const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * Makes a text fit for paper, screens and terminal windows. A tab or line end becomes a space. Every other character
 * that cannot be printed becomes `?`. Examples are half a surrogate pair, and characters that move a cursor or change
 * the direction of writing.
 */
export function makePrintable(text: string): string {
  if (!unprintable.test(text)) return text;
  return text.replaceAll(/[\t\n\r\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/\p{C}/gu, '?');
}

/**
 * Does the same as {@link makePrintable}, but keeps the line ends. It is for texts into which pinpad itself has put
 * line ends.
 */
export function makeLinesPrintable(text: string): string {
  return text.split('\n').map(makePrintable).join('\n');
}

/**
 * Characters that can control a terminal window and that JSON does not escape: C1 control characters, and characters
 * that change the direction of writing.
 */
const obeyed = /[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Returns JSON that has the same meaning and is safe to show in a terminal window. */
export function makeJsonPrintable(json: string): string {
  return json.replace(obeyed, escapeCodeUnit);
}
