import type { SaleStep } from '../../../shared/sales/sale-steps.ts';
import { type CallsRow, callIndex, callsPage } from '../calls-page.ts';
import type { Canvas, Style } from '../canvas.ts';
import { clockTime } from '../journal-lines.ts';
import { panelRows } from '../panel-rows.ts';
import type { TuiState } from '../state.ts';
import { textWidth, truncate } from '../text-width.ts';
import { theme } from '../theme.ts';
import { windowStart } from '../window-start.ts';

/**
 * Draws a sale as a sequence diagram. The point of sale is on the left, the gateway on the right, and time goes
 * downwards (B267).
 */
export function drawCalls(canvas: Canvas, state: TuiState): void {
  const { marks, width } = canvas;
  const page = callsPage(state);
  canvas.hot({
    modal: true,
    wheelUp: { do: 'step', step: 'lineUp', panel: 'calls' },
    wheelDown: { do: 'step', step: 'lineDown', panel: 'calls' },
  });
  canvas.text(0, 0, marks.across.repeat(width), theme.panelFocused);
  canvas.text(2, 0, ` ${page.title} `, theme.panelFocused, width - 4);
  const at = callIndex(state, page);
  const rows = panelRows(state, 'calls');
  const selected = page.rows.findIndex((row) => 'step' in row && row.index === at);
  const first = at === 0 ? 0 : windowStart(selected, page.rows.length, rows);
  for (const [y, row] of page.rows.slice(first, first + rows).entries())
    drawRow(canvas.within({ x: 0, y: 1 + y, width, height: 1 }), row, at);
  const below = page.rows.length - first - rows;
  if (below > 0) canvas.textRight(width - 2, 0, ` ${marks.down} ${below} `, theme.faint);
}

function drawRow(row: Canvas, shown: CallsRow, at: number): void {
  if ('line' in shown) {
    let x = 1;
    for (const { text, style } of shown.line.parts) x = row.text(x, 0, text, style);
    return;
  }
  const selected = shown.index === at;
  if (selected) row.fill(theme.selected);
  row.text(0, 0, selected ? row.marks.selected : ' ', selected ? theme.selected : theme.plain);
  row.text(1, 0, clockTime(shown.step.at), selected ? theme.selected : theme.faint);
  const lane = { x: 10, y: 0, width: row.width - 11, height: 1 };
  drawStep(row.within(lane), shown.step, selected);
  row.hot({ click: { do: 'openCall', index: shown.index } });
}

const tones: Record<SaleStep['tone'], Style> = {
  neutral: theme.plain,
  success: theme.success,
  error: theme.error,
  warning: theme.warning,
};

const [pos, gateway] = ['POS', 'gateway'];

function drawStep(row: Canvas, { way, text, tone }: SaleStep, selected: boolean): void {
  const { marks, width } = row;
  const style = selected ? theme.selected : tones[tone];
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
