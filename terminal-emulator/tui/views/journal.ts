import type { Canvas } from '../canvas.ts';
import type { TuiCommand } from '../command.ts';
import { findListedJournalLines } from '../journal-filter.ts';
import type { JournalLine } from '../journal-lines.ts';
import { isJournalFullScreen, panelRowCount } from '../panel-row-count.ts';
import { findSelectedJournalIndex } from '../scroll.ts';
import type { TuiState } from '../state.ts';
import { terminalNameColumns } from '../terminal-name.ts';
import { padEnd, textWidth, truncateMiddle } from '../text-width.ts';
import { theme, toneStyles } from '../theme.ts';
import { drawRows } from './page.ts';
import { drawPanelTitle } from './panel-frame.ts';

/**
 * Draws the journal, with the newest line at the bottom. If no line is selected, the journal scrolls to each new
 * line.
 */
export function drawJournal(canvas: Canvas, state: TuiState): void {
  const whole = isJournalFullScreen(state);
  const focused = state.focus === 'journal' || whole;
  canvas.hot({
    click: { do: 'focus', panel: 'journal' },
    wheelUp: { do: 'step', step: 'notchUp', panel: 'journal' },
    wheelDown: { do: 'step', step: 'notchDown', panel: 'journal' },
    modal: whole,
  });
  const { marks, width } = canvas;
  canvas.text(0, 0, marks.across.repeat(width), focused ? theme.panelFocused : theme.panel);
  const lines = findListedJournalLines(state);
  const most = panelRowCount(state, 'journal');
  const at = findSelectedJournalIndex(state);
  const name = nameColumn(state, marks.ellipsis);
  const first = drawRows(canvas, lines, { at, most }, (row, line, place) => {
    const selected = place === at && (whole || state.journalAt !== undefined);
    drawLine(row, line, name(line.terminal), selected);
  });
  const titleEnd = drawPanelTitle(canvas, titleOf(canvas, state, lines.length), focused);
  drawSwitches(canvas, state, { newer: lines.length - first - most, focused, left: titleEnd + 1 });
  if (lines.length === 0) canvas.text(1, 1, nothing(state), theme.faint);
}

function titleOf({ marks }: Canvas, { overlay, filter }: TuiState, found: number): string {
  const typing = overlay === 'filter' ? marks.caret : '';
  return filter || typing ? `Journal ${found} of /${filter}${typing}` : 'Journal';
}

function nothing({ filter, payments }: TuiState): string {
  if (payments.some(({ id, requestId }) => requestId === '' && filter === `payment:${id}`))
    return 'The journal is empty. It begins at the start of pinpad.';
  return filter ? 'No line has all of these words.' : 'Nothing has happened yet.';
}

interface Switches {
  /** How many lines are below the visible part of the journal. */
  readonly newer: number;
  readonly focused: boolean;
  /** The column at which the title ends. */
  readonly left: number;
}

function drawSwitches(canvas: Canvas, state: TuiState, { newer, focused, left }: Switches): void {
  const whole = state.overlay === 'journal';
  const below = newer > 0 ? [`${canvas.marks.down} ${newer} newer`] : [];
  const stays = state.journalAt !== undefined || newer > 0;
  const follow = stays ? ` ${[...below, ...(focused ? ['End follows'] : [])].join(', ')} ` : ' following ';
  const details = state.details ? ' d less ' : ' d details ';
  const larger = whole ? ' j smaller ' : ' j larger ';
  let right = canvas.width - 1;
  const place = (text: string, click: TuiCommand) => {
    const width = textWidth(text);
    if (right - width < left) return;
    canvas.textRight(right, 0, text, theme.faint);
    canvas.hotspot({ x: right - width, y: 0, width, height: 1 }, { click });
    right -= width + 1;
  };
  place(larger, whole ? { do: 'close' } : { do: 'open', overlay: 'journal' });
  place(details, { do: 'details' });
  place(follow, { do: 'step', step: 'end', panel: 'journal' });
}

/**
 * Returns a function that writes the terminal's name in front of a line, in a column as wide as the longest name. If
 * there is only one terminal, the function writes nothing.
 */
function nameColumn(state: TuiState, ellipsis: string): (poiId: string | undefined) => string {
  if (state.terminals.length < 2) return () => '';
  const width = terminalNameColumns(state);
  return (poiId = '') => `${padEnd(truncateMiddle(poiId, width, ellipsis), width)} `;
}

/** Draws a line of the journal. A click on the line opens it. */
function drawLine(row: Canvas, line: JournalLine, name: string, selected: boolean): void {
  const { marks } = row;
  const style = selected ? theme.selected : toneStyles[line.tone];
  const faint = selected ? theme.selected : theme.faint;
  if (selected) {
    row.fill(style);
    row.text(0, 0, marks.selected, style);
  }
  let x = row.text(1, 0, `${line.time} `, faint);
  x = row.text(x, 0, name, faint);
  const mark = { neutral: ' ', success: marks.ok, error: marks.fail, warning: '!' }[line.tone];
  row.text(x, 0, mark, style);
  row.text(x + 1 + textWidth(marks.ok), 0, line.text, line.detail && !selected ? theme.faint : style);
  row.hot({ click: { do: 'openEntry', seq: line.seq } });
}
