import type { Stepped } from './command.ts';
import { layoutOf } from './layout.ts';
import { receiptRemark } from './receipt-remark.ts';
import { saleIndex, type TuiState } from './state.ts';
import { windowStart } from './window-start.ts';

/**
 * Returns how many rows of the tray do not list cards: the frame, the line below the cards, the details of the selected
 * card, and the actions for it.
 */
function trayRowsBesideCards(height: number): number {
  return 2 + 1 + cardDetailRows(height) + 2;
}

/**
 * Returns how many rows describe the selected card. In a high tray there are more, because its behaviour may be long.
 */
export function cardDetailRows(height: number): number {
  return height > 20 ? 5 : 4;
}

/** Whether the journal fills the whole screen. */
export function isWholeJournal({ overlay }: TuiState): boolean {
  return overlay === 'journal' || overlay === 'filter';
}

/** Returns how many sales are below the visible part of the list. */
export function newerSales(state: TuiState): number {
  const rows = panelRows(state, 'sales');
  return Math.max(0, state.sales.length - windowStart(saleIndex(state), state.sales.length, rows) - rows);
}

/** Returns how many rows of a panel can show its contents. */
export function panelRows(state: TuiState, panel: Stepped): number {
  const layout = layoutOf(state);
  if (!layout) return 1;
  switch (panel) {
    case 'cards':
      return layout.folded ? 5 : layout.cards.height - trayRowsBesideCards(layout.cards.height);
    case 'sales':
      return layout.sales.height - 1;
    case 'journal':
      return isWholeJournal(state) ? state.size.rows - 4 : (layout.journal?.height ?? 1) - 1;
    case 'payments':
    case 'sheet':
    case 'calls':
    case 'terminals':
    case 'troubles':
      return state.size.rows - 4;
    case 'receipt': {
      const beside = layout.receipt && state.overlay !== 'receipt';
      const height = beside ? layout.receipt.height - 2 : state.size.rows - 4;
      return height - receiptRemark(state).length;
    }
  }
}
