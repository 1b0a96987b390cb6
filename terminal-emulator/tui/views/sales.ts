import type { Canvas, Style } from '../canvas.ts';
import { newerSalesCount, panelRowCount } from '../panel-row-count.ts';
import { makeSaleLine, type SaleLine } from '../sale-line.ts';
import { findSelectedSaleIndex, type TuiState } from '../state.ts';
import { textWidth } from '../text-width.ts';
import { theme, toneStyles } from '../theme.ts';
import { drawRows, drawSelection, makeWheelCommands } from './page.ts';
import { drawPanelTitle } from './panel-frame.ts';

/**
 * Draws the last sales, each on one line, with the newest sale at the bottom. A click on a sale, or Enter, opens the
 * sale (B266).
 */
export function drawSales(canvas: Canvas, state: TuiState): void {
  const focused = state.focus === 'sales';
  const { marks, width } = canvas;
  canvas.hot({ click: { do: 'focus', panel: 'sales' }, ...makeWheelCommands('sales') });
  canvas.text(0, 0, marks.across.repeat(width), focused ? theme.panelFocused : theme.panel);
  const { sales } = state;
  const at = findSelectedSaleIndex(state);
  const end = drawPanelTitle(canvas, 'Sales', focused);
  const newer = newerSalesCount(state);
  if (newer > 0) {
    const text = ` ${marks.down} ${newer} newer${focused ? ', End follows' : ''} `;
    canvas.text(end + 1, 0, text, theme.faint);
    const place = { x: end + 1, y: 0, width: textWidth(text), height: 1 };
    canvas.hotspot(place, { click: { do: 'step', step: 'end', panel: 'sales' } });
  }
  const several = state.terminals.length > 1;
  drawRows(canvas, sales, { at, most: panelRowCount(state, 'sales') }, (row, sale, place) => {
    const line = makeSaleLine(sale, { columns: Math.min(width - 2, 118), several, marks });
    drawLine(row, line, focused && place === at);
    row.hot({ click: { do: 'openSale', saleId: sale.saleId } });
  });
  if (sales.length === 0)
    canvas.text(1, 1, 'No sale yet. Each sale of your POS gets a line here.', theme.faint);
}

const tones: Record<SaleLine['tone'], Style> = {
  ...toneStyles,
  open: theme.strong,
  wrong: theme.warning,
};

function drawLine(row: Canvas, line: SaleLine, selected: boolean): void {
  const style = (own: Style) => (selected ? theme.selected : own);
  drawSelection(row, selected, style(theme.plain));
  let x = row.text(1, 0, `${line.time} `, style(theme.faint));
  x = row.text(x, 0, `${line.what} `, style(theme.plain));
  const right = row.width - 1;
  const end = line.warnings ? right - textWidth(line.warnings) - 1 : right;
  row.text(x, 0, line.calls, style(theme.plain));
  row.textRight(end, 0, line.outcome, style(tones[line.tone]));
  if (line.warnings) row.textRight(right, 0, line.warnings, style(theme.warning));
}
