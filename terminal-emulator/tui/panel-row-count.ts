import type { ScrollablePanel } from './command.ts';
import { firstVisibleIndex } from './first-visible-index.ts';
import { layoutOf } from './layout.ts';
import { receiptRemarkLines } from './receipt-remark.ts';
import { findSelectedSaleIndex, type TuiState } from './state.ts';

/**
 * Returns the number of the tray's rows that contain no card of the list. These are the rows for the frame, the line
 * below the cards, the details of the selected card, and the actions for this card.
 */
function trayRowsBesideCards(height: number): number {
  return 2 + 1 + cardDetailRowCount(height) + 2;
}

/**
 * Returns how many rows describe the selected card. A high tray has more such rows, because the card's behaviour may
 * be a long text.
 */
export function cardDetailRowCount(height: number): number {
  return height > 20 ? 5 : 4;
}

/** Whether the journal fills the whole screen. */
export function isJournalFullScreen({ overlay }: TuiState): boolean {
  return overlay === 'journal' || overlay === 'filter';
}

/** Returns how many sales are below the visible part of the list. */
export function newerSalesCount(state: TuiState): number {
  const rows = panelRowCount(state, 'sales');
  return Math.max(
    0,
    state.sales.length - firstVisibleIndex(findSelectedSaleIndex(state), state.sales.length, rows) - rows,
  );
}

/** Returns how many rows a panel has for its contents. */
export function panelRowCount(state: TuiState, panel: ScrollablePanel): number {
  const layout = layoutOf(state);
  if (!layout) return 1;
  switch (panel) {
    case 'cards':
      return layout.folded ? 5 : layout.cards.height - trayRowsBesideCards(layout.cards.height);
    case 'sales':
      return layout.sales.height - 1;
    case 'journal':
      return isJournalFullScreen(state) ? state.size.rows - 4 : (layout.journal?.height ?? 1) - 1;
    case 'payments':
    case 'sheet':
    case 'calls':
    case 'terminals':
    case 'troubles':
      return state.size.rows - 4;
    case 'receipt': {
      const beside = layout.receipt && state.overlay !== 'receipt';
      const height = beside ? layout.receipt.height - 2 : state.size.rows - 4;
      return height - receiptRemarkLines(state).length;
    }
  }
}
