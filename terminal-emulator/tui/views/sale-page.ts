import type { SaleStep } from '../../../shared/sales/sale-steps.ts';
import type { Canvas } from '../canvas.ts';
import { formatClockTime } from '../journal-lines.ts';
import { panelRowCount } from '../panel-row-count.ts';
import { findSelectedStepIndex, makeSalePage, type SalePageRow } from '../sale-page.ts';
import type { TuiState } from '../state.ts';
import { textWidth, truncate } from '../text-width.ts';
import { theme, toneStyles } from '../theme.ts';
import { beginPage, drawHiddenLineCount, drawRows, drawSelection } from './page.ts';

/**
 * Draws a sale as a sequence diagram. The point of sale is on the left, the gateway on the right, and time goes
 * downwards (B267).
 */
export function drawSalePage(canvas: Canvas, state: TuiState): void {
  const page = makeSalePage(state);
  beginPage(canvas, 'calls', page.title, canvas.width - 4);
  const at = findSelectedStepIndex(state, page);
  const most = panelRowCount(state, 'calls');
  const selected = page.rows.findIndex((row) => 'step' in row && row.index === at);
  const first = drawRows(canvas, page.rows, { at: at === 0 ? 0 : selected, most }, (line, row) =>
    drawRow(line, row, at),
  );
  drawHiddenLineCount(canvas, 0, { below: page.rows.length - first - most, above: 0 });
}

function drawRow(row: Canvas, shown: SalePageRow, at: number): void {
  if ('line' in shown) {
    let x = 1;
    for (const { text, style } of shown.line.parts) x = row.text(x, 0, text, style);
    return;
  }
  const selected = shown.index === at;
  drawSelection(row, selected, selected ? theme.selected : theme.plain);
  row.text(1, 0, formatClockTime(shown.step.at), selected ? theme.selected : theme.faint);
  const lane = { x: 10, y: 0, width: row.width - 11, height: 1 };
  drawStep(row.within(lane), shown.step, selected);
  row.hot({ click: { do: 'openCall', index: shown.index } });
}

const [pos, gateway] = ['POS', 'gateway'];

function drawStep(row: Canvas, { way, text, tone }: SaleStep, selected: boolean): void {
  const { marks, width } = row;
  const style = selected ? theme.selected : toneStyles[tone];
  const faint = selected ? theme.selected : theme.faint;
  const [left, right] = [pos.length + 1, width - gateway.length - 1];
  const body = Math.max(0, right - left - 4);
  const said = ` ${truncate(text, body - 2, marks.ellipsis)} `;
  const rest = marks.across.repeat(Math.max(0, body - textWidth(said)));
  if (way === 'note') {
    row.text(left + 3, 0, text, style, right - left - 3);
    return;
  }
  row.text(0, 0, pos, faint);
  row.textRight(width, 0, gateway, faint);
  if (way === 'asks')
    row.text(left, 0, `${marks.across}${said}${rest}${marks.across}${marks.toRight}`, style);
  else if (way === 'isAnswered')
    row.text(left, 0, `${marks.toLeft}${marks.across}${rest}${said}${marks.across}`, style);
  else row.text(left, 0, `${marks.fail}${said}`, style);
}
