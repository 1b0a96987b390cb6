import type { Canvas } from '../canvas.ts';
import { makeCurrentSheet } from '../current-sheet.ts';
import { panelRowCount } from '../panel-row-count.ts';
import type { TuiState } from '../state.ts';
import { beginPage, drawHiddenLineCount } from './page.ts';

/** Draws a page of text, which is an entry of the journal or a payment. Keys and the wheel scroll the page. */
export function drawSheet(canvas: Canvas, state: TuiState): void {
  const { title, lines } = makeCurrentSheet(state);
  beginPage(canvas, 'sheet', title, canvas.width - 14);
  const rows = panelRowCount(state, 'sheet');
  const top = Math.min(state.sheetTop, Math.max(0, lines.length - rows));
  for (const [y, { parts, command }] of lines.slice(top, top + rows).entries()) {
    let x = 1;
    for (const { text, style } of parts) x = canvas.text(x, 1 + y, text, style);
    if (command) canvas.hotspot({ x: 1, y: 1 + y, width: x - 1, height: 1 }, { click: command });
  }
  drawHiddenLineCount(canvas, 0, { below: lines.length - top - rows, above: top });
}
