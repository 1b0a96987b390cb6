import { eastAsianWidth } from 'get-east-asian-width';

/** One character that occupies one or two columns of a terminal. */
interface Glyph {
  readonly ch: string;
  readonly width: 1 | 2;
}

/** Characters that could move the cursor, join with a neighbouring character, or have no width. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{M}\p{Zl}\p{Zp}]/u;
/** Characters whose width is not the same in all terminal windows. Such a character could shift the rest of its row. */
const pictograph = /[\p{Emoji_Presentation}\p{Regional_Indicator}]/u;

/**
 * Returns the characters of a text, changed so that every terminal window shows them with the same widths. An accent is
 * joined with its letter, and a question mark replaces each emoji. Control characters are left out, because a name from
 * outside may contain an escape sequence.
 */
export function glyphsOf(text: string): Glyph[] {
  const glyphs: Glyph[] = [];
  for (const ch of text.normalize('NFC')) {
    const code = ch.codePointAt(0) as number;
    if (code >= 0x20 && code < 0x7f) glyphs.push({ ch, width: 1 });
    else if (ch === '\n' || ch === '\t') glyphs.push({ ch: ' ', width: 1 });
    else if (unprintable.test(ch)) continue;
    else if (pictograph.test(ch)) glyphs.push({ ch: '?', width: 1 });
    else glyphs.push({ ch, width: eastAsianWidth(code) === 2 ? 2 : 1 });
  }
  return glyphs;
}

const ascii = /^[ -~]*$/;

/** Returns how many columns `text` occupies. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  return glyphsOf(text).reduce((sum, glyph) => sum + glyph.width, 0);
}

/** Returns `text` in at most `columns` columns. If something was cut off, `ellipsis` (one column) is at the end. */
export function truncate(text: string, columns: number, ellipsis: string): string {
  if (textWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const glyph of glyphsOf(text)) {
    if (width + glyph.width > columns - 1) break;
    kept += glyph.ch;
    width += glyph.width;
  }
  return columns > 0 ? kept + ellipsis : '';
}

/**
 * Returns `text` in at most `columns` columns. If the text is too long, its middle is cut out, because similar names
 * often differ at their ends.
 */
export function truncateMiddle(text: string, columns: number, ellipsis: string): string {
  if (textWidth(text) <= columns) return text;
  const head = truncate(text, Math.floor(columns / 2), ellipsis);
  let tail = '';
  for (const glyph of glyphsOf(text).reverse()) {
    if (textWidth(head) + textWidth(tail) + glyph.width > columns) break;
    tail = glyph.ch + tail;
  }
  return head + tail;
}

/** Returns `text` with spaces after it, so that it fills `columns` columns. */
export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

/**
 * Returns `text` in rows of at most `columns` columns. A row ends between two words. Only a word that is longer than
 * a row is broken.
 */
export function wrap(text: string, columns: number): string[] {
  const rows: string[] = [];
  let row = '';
  for (const word of text.split(' ')) {
    const joined = row === '' ? word : `${row} ${word}`;
    if (textWidth(joined) <= columns) {
      row = joined;
      continue;
    }
    if (row !== '') rows.push(row);
    row = word;
    while (textWidth(row) > columns) {
      const head = headOf(row, columns);
      rows.push(head);
      row = row.slice(head.length);
    }
  }
  rows.push(row);
  return rows;
}

function headOf(text: string, columns: number): string {
  let head = '';
  let width = 0;
  for (const ch of text) {
    width += textWidth(ch);
    if (width > columns && head !== '') break;
    head += ch;
  }
  return head;
}
