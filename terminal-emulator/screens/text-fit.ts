import { eastAsianWidth } from 'get-east-asian-width';
import { memoize } from '../../shared/memoize.ts';

const graphemes = memoize(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));
/** Matches the letters of the screens' languages, and currency signs. Each of them is one column wide. */
const narrow = /^[\u0020-\u02ff\u2010-\u2027\u20a0-\u20bf]*$/;

/** Gives the number of columns that a text takes on a character display. */
export function countColumns(text: string): number {
  if (narrow.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes().segment(text)) columns += eastAsianWidth(segment.codePointAt(0)!);
  return columns;
}

/** Gives a text cut to at most `columns`. A cut text ends with an ellipsis. */
export function cutToColumns(text: string, columns: number): string {
  if (countColumns(text) <= columns) return text;
  return `${headOf(text, columns - 1).trimEnd()}…`;
}

/** Breaks a text into lines of at most `columns`. A line ends between two words where that is possible. */
export function wrapToColumns(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = line ? `${line} ${word}` : word;
    if (countColumns(longer) <= columns) {
      line = longer;
      continue;
    }
    if (line) lines.push(line);
    line = breakWord(word, columns, lines);
  }
  return line ? [...lines, line] : lines;
}

/**
 * Breaks a word, adds all of its parts except the last to `lines`, and gives the last part. The function goes through
 * the word only once, because a word may be as long as a whole request.
 */
function breakWord(word: string, columns: number, lines: string[]): string {
  let line = '';
  let left = columns;
  for (const { segment } of graphemes().segment(word)) {
    const needed = countColumns(segment);
    while (line && needed > left) {
      const broken = breakable(line);
      lines.push(broken);
      line = line.slice(broken.length);
      left = columns - countColumns(line);
    }
    line += segment;
    left -= needed;
  }
  return line;
}

/**
 * Gives the part of `head` up to its last hyphen, so that a long reference is broken at a hyphen. Without a hyphen,
 * gives the whole `head`.
 */
function breakable(head: string): string {
  return head.slice(0, head.lastIndexOf('-') + 1) || head;
}

function headOf(text: string, columns: number): string {
  let head = '';
  let left = columns;
  for (const { segment } of graphemes().segment(text)) {
    left -= countColumns(segment);
    if (left < 0) break;
    head += segment;
  }
  return head;
}
