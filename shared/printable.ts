const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * A text as paper, screens and terminal windows take it: a tab or line end is a space, what else cannot be printed is `?` (half a
 * surrogate pair, characters that move a cursor or turn the direction of writing).
 */
export function printable(text: string): string {
  if (!unprintable.test(text)) return text;
  return text.replaceAll(/[\t\n\r\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/\p{C}/gu, '?');
}
