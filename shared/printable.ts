import { escapeCodeUnit } from './ascii-json.ts';

const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * Makes a text fit for paper, screens and terminal windows. A tab or line end becomes a space, and every other
 * character that cannot be printed becomes `?`: half a surrogate pair, and characters that move a cursor or change the
 * direction of writing.
 */
export function makePrintable(text: string): string {
  if (!unprintable.test(text)) return text;
  return text.replaceAll(/[\t\n\r\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/\p{C}/gu, '?');
}

/** Does the same as {@link makePrintable}, but keeps the line ends, because pinpad made them itself. */
export function makeLinesPrintable(text: string): string {
  return text.split('\n').map(makePrintable).join('\n');
}

/**
 * Characters that a terminal window obeys although JSON leaves them as they are: C1 control characters, and those that
 * change the direction of writing.
 */
const obeyed = /[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Returns JSON with the same meaning that is safe to show in a terminal window. */
export function makeJsonPrintable(json: string): string {
  return json.replace(obeyed, escapeCodeUnit);
}
