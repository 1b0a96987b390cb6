import type { Canvas } from '../canvas.ts';
import { openSheet } from '../open-sheet.ts';
import { panelRows } from '../panel-rows.ts';
import type { TuiState } from '../state.ts';
import { theme } from '../theme.ts';

/** Draws a page of text: an entry of the journal, or a payment. Keys and wheel scroll it. */
export function drawSheet(canvas: Canvas, state: TuiState): void {
  const { marks, width } = canvas;
  const { title, lines } = openSheet(state);
  canvas.hot({
    modal: true,
    wheelUp: { do: 'step', step: 'lineUp', panel: 'sheet' },
    wheelDown: { do: 'step', step: 'lineDown', panel: 'sheet' },
  });
  canvas.text(0, 0, marks.across.repeat(width), theme.panelFocused);
  canvas.text(2, 0, ` ${title} `, theme.panelFocused, width - 14);
  const rows = panelRows(state, 'sheet');
  const top = Math.min(state.sheetTop, Math.max(0, lines.length - rows));
  for (const [y, { parts, command }] of lines.slice(top, top + rows).entries()) {
    let x = 1;
    for (const { text, style } of parts) x = canvas.text(x, 1 + y, text, style);
    if (command) canvas.hotspot({ x: 1, y: 1 + y, width: x - 1, height: 1 }, { click: command });
  }
  const below = lines.length - top - rows;
  if (below > 0) canvas.textRight(width - 2, 0, ` ${marks.down} ${below} `, theme.faint);
  else if (top > 0) canvas.textRight(width - 2, 0, ` ${marks.up} ${top} `, theme.faint);
}
