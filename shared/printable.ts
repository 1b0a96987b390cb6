import { escaped } from './ascii-json.ts';

const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * A text as paper, screens and terminal windows take it: a tab or line end is a space, what else cannot be printed is `?` (half a
 * surrogate pair, characters that move a cursor or turn the direction of writing).
 */
export function printable(text: string): string {
  if (!unprintable.test(text)) return text;
  return text.replaceAll(/[\t\n\r\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/\p{C}/gu, '?');
}

/** The same of a text whose lines are ours. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** What a terminal window obeys though JSON leaves it as it is: C1 control characters, and what turns the direction of writing. */
const obeyed = /[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** JSON that means the same, and can be looked at in a terminal window. */
export function printableJson(json: string): string {
  return json.replace(obeyed, escaped);
}
