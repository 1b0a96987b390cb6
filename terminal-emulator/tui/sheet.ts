import type { Style } from './canvas.ts';
import type { TuiCommand } from './command.ts';
import { textWidth } from './text-width.ts';
import { theme } from './theme.ts';

/** A part of a line that has one style. */
export interface StyledText {
  readonly text: string;
  readonly style: Style;
}

/** A line of a page that can be scrolled. */
export interface SheetLine {
  readonly parts: readonly StyledText[];
  /** The command that a click on the line carries out. */
  readonly command?: TuiCommand;
}

/** A page of text over the whole screen. */
export interface Sheet {
  readonly title: string;
  readonly lines: readonly SheetLine[];
}

export const styleText = (text: string, style: Style = theme.plain): StyledText => ({ text, style });

export const makeSheetLine = (...parts: readonly StyledText[]): SheetLine => ({ parts });

export const emptyLine = makeSheetLine();

/** Returns a name and its value as lines that look like a header field. */
export function fieldLines(
  name: string,
  value: string | number | null | undefined,
  style?: Style,
): SheetLine[] {
  if (value === undefined || value === null || value === '') return [];
  return [makeSheetLine(styleText(`${name}: `, theme.faint), styleText(String(value), style))];
}

const indented = 4;

/** Breaks a line into rows. Rows after the first are indented. Nothing is cut off. */
export function wrapSheetLine({ parts, command }: SheetLine, columns: number): SheetLine[] {
  const rows: SheetLine[] = [];
  let row: StyledText[] = [];
  let room = columns;
  for (const { text, style } of parts) {
    let rest = text;
    while (textWidth(rest) > room) {
      const head = headOf(rest, room);
      rows.push({ parts: [...row, { text: head, style }], command });
      rest = rest.slice(head.length);
      row = [{ text: ' '.repeat(indented), style: theme.plain }];
      room = Math.max(1, columns - indented);
    }
    row.push({ text: rest, style });
    room -= textWidth(rest);
  }
  return [...rows, { parts: row, command }];
}

/** Returns as much of a text as fits. If there is a space near the end, the text is cut there. */
function headOf(text: string, columns: number): string {
  let head = '';
  let width = 0;
  for (const ch of text) {
    width += textWidth(ch);
    if (width > columns) break;
    head += ch;
  }
  const space = head.lastIndexOf(' ');
  return space > head.length - 16 && space > 0 ? head.slice(0, space + 1) : head;
}
