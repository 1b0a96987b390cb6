import type { Canvas, Style } from '../canvas.ts';
import type { ScrollablePanel } from '../command.ts';
import { firstVisibleIndex } from '../first-visible-index.ts';
import { theme } from '../theme.ts';

/** Returns the commands of the wheel over a panel. The commands move the selection or the text by a line. */
export function makeWheelCommands(panel: ScrollablePanel) {
  return {
    wheelUp: { do: 'step', step: 'lineUp', panel },
    wheelDown: { do: 'step', step: 'lineDown', panel },
  } as const;
}

/**
 * Begins a page that covers the whole screen, and draws its title. A title that is longer than `columns` is cut off.
 */
export function beginPage(canvas: Canvas, panel: ScrollablePanel, title: string, columns?: number): void {
  canvas.hot({ modal: true, ...makeWheelCommands(panel) });
  canvas.text(0, 0, canvas.marks.across.repeat(canvas.width), theme.panelFocused);
  canvas.text(2, 0, ` ${title} `, theme.panelFocused, columns);
}

/**
 * Draws at most `most` rows below a title. If possible, the row with the index `at` is in the middle. Returns the index
 * of the first row that is drawn.
 */
export function drawRows<Row>(
  canvas: Canvas,
  rows: readonly Row[],
  { at, most }: { at: number; most: number },
  draw: (line: Canvas, row: Row, place: number) => void,
): number {
  const first = firstVisibleIndex(at, rows.length, most);
  for (const [y, row] of rows.slice(first, first + most).entries())
    draw(canvas.within({ x: 0, y: 1 + y, width: canvas.width, height: 1 }), row, first + y);
  return first;
}

/**
 * Draws the number of lines below the visible part, at the right end of row `y`. At the end of the list, draws the
 * number of lines above the visible part instead.
 */
export function drawHiddenLineCount(
  canvas: Canvas,
  y: number,
  { below, above }: { below: number; above: number },
): void {
  const { marks, width } = canvas;
  if (below > 0) canvas.textRight(width - 2, y, ` ${marks.down} ${below} `, theme.faint);
  else if (above > 0) canvas.textRight(width - 2, y, ` ${marks.up} ${above} `, theme.faint);
}

/** If a row is selected, fills the row with the style and marks it with a sign. */
export function drawSelection(row: Canvas, selected: boolean, style: Style): void {
  if (selected) row.fill(style);
  row.text(0, 0, selected ? row.marks.selected : ' ', style);
}
