import { eastAsianWidth } from 'get-east-asian-width';
import { memoize } from '../../shared/memoize.ts';

const graphemes = memoize(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));
/** Letters of the screens' languages, and currency signs. Each is one column wide. */
const narrow = /^[\u0020-\u02ff\u2010-\u2027\u20a0-\u20bf]*$/;

/** How many columns of a character display a text takes. */
export function columnsOf(text: string): number {
  if (narrow.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes().segment(text)) columns += eastAsianWidth(segment.codePointAt(0)!);
  return columns;
}

/** A text cut to `columns`, its cut end marked. */
export function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  return `${headOf(text, columns - 1).trimEnd()}…`;
}

/** A text as lines of at most `columns`, broken between words where that is possible. */
export function wrapTo(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = line ? `${line} ${word}` : word;
    if (columnsOf(longer) <= columns) {
      line = longer;
      continue;
    }
    if (line) lines.push(line);
    line = breakWord(word, columns, lines);
  }
  return line ? [...lines, line] : lines;
}

/**
 * Breaks a word and adds all parts but the last to `lines`. It does so in one pass, because a word may be as long as a
 * request.
 */
function breakWord(word: string, columns: number, lines: string[]): string {
  let line = '';
  let left = columns;
  for (const { segment } of graphemes().segment(word)) {
    const needed = columnsOf(segment);
    while (line && needed > left) {
      const broken = breakable(line);
      lines.push(broken);
      line = line.slice(broken.length);
      left = columns - columnsOf(line);
    }
    line += segment;
    left -= needed;
  }
  return line;
}

/** The part of a text before the break: up to its last hyphen, so that a long reference breaks there. */
function breakable(head: string): string {
  return head.slice(0, head.lastIndexOf('-') + 1) || head;
}

function headOf(text: string, columns: number): string {
  let head = '';
  let left = columns;
  for (const { segment } of graphemes().segment(text)) {
    left -= columnsOf(segment);
    if (left < 0) break;
    head += segment;
  }
  return head;
}
