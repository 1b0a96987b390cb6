import type { Canvas, Style } from '../canvas.ts';
import { newerSales, panelRows } from '../panel-rows.ts';
import { fittedSaleLine, type SaleLine } from '../sale-line.ts';
import { saleIndex, type TuiState } from '../state.ts';
import { textWidth } from '../text-width.ts';
import { theme } from '../theme.ts';
import { windowStart } from '../window-start.ts';
import { drawPanelTitle } from './panel-frame.ts';

/**
 * Draws the last sales, one on each line, with the newest at the bottom. A click on a sale, or Enter, opens it (B266).
 */
export function drawSales(canvas: Canvas, state: TuiState): void {
  const focused = state.focus === 'sales';
  const { marks, width } = canvas;
  canvas.hot({
    click: { do: 'focus', panel: 'sales' },
    wheelUp: { do: 'step', step: 'lineUp', panel: 'sales' },
    wheelDown: { do: 'step', step: 'lineDown', panel: 'sales' },
  });
  canvas.text(0, 0, marks.across.repeat(width), focused ? theme.panelFocused : theme.panel);
  const rows = panelRows(state, 'sales');
  const { sales } = state;
  const at = saleIndex(state);
  const first = windowStart(at, sales.length, rows);
  const end = drawPanelTitle(canvas, 'Sales', focused);
  const newer = newerSales(state);
  if (newer > 0) {
    const text = ` ${marks.down} ${newer} newer${focused ? ', End follows' : ''} `;
    canvas.text(end + 1, 0, text, theme.faint);
    const place = { x: end + 1, y: 0, width: textWidth(text), height: 1 };
    canvas.hotspot(place, { click: { do: 'step', step: 'end', panel: 'sales' } });
  }
  const several = state.terminals.length > 1;
  for (const [y, sale] of sales.slice(first, first + rows).entries()) {
    const row = canvas.within({ x: 0, y: 1 + y, width, height: 1 });
    const line = fittedSaleLine(sale, { columns: Math.min(width - 2, 118), several, marks });
    drawLine(row, line, focused && first + y === at);
    row.hot({ click: { do: 'openSale', saleId: sale.saleId } });
  }
  if (sales.length === 0)
    canvas.text(1, 1, 'No sale yet: what your POS tries to sell is listed here, a line each.', theme.faint);
}

const tones: Record<SaleLine['tone'], Style> = {
  neutral: theme.plain,
  success: theme.success,
  error: theme.error,
  open: theme.strong,
  wrong: theme.warning,
};

function drawLine(row: Canvas, line: SaleLine, selected: boolean): void {
  const style = (own: Style) => (selected ? theme.selected : own);
  if (selected) row.fill(theme.selected);
  row.text(0, 0, selected ? row.marks.selected : ' ', style(theme.plain));
  let x = row.text(1, 0, `${line.time} `, style(theme.faint));
  x = row.text(x, 0, `${line.what} `, style(theme.plain));
  const right = row.width - 1;
  const end = line.warnings ? right - textWidth(line.warnings) - 1 : right;
  row.text(x, 0, line.calls, style(theme.plain));
  row.textRight(end, 0, line.outcome, style(tones[line.tone]));
  if (line.warnings) row.textRight(right, 0, line.warnings, style(theme.warning));
}
