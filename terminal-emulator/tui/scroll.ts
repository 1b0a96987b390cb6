import type { ScrollablePanel, ScrollStep } from './command.ts';
import { makeCurrentSheet } from './current-sheet.ts';
import { findListedJournalLines } from './journal-filter.ts';
import { findListedTerminals } from './listed-terminals.ts';
import { panelRowCount } from './panel-row-count.ts';
import { findSelectedStepIndex, makeSalePage } from './sale-page.ts';
import {
  findListedCards,
  findSelectedCard,
  findSelectedPayment,
  findSelectedSaleIndex,
  findShownReceipt,
  type TuiState,
} from './state.ts';
import { findListedTroubles, findSelectedTrouble } from './troubles.ts';

/** Moves the selection in a panel by a row, by a page, or to the beginning or the end. */
export function scrollPanel(state: TuiState, panel: ScrollablePanel, step: ScrollStep): TuiState {
  const rows = panelRowCount(state, panel);
  switch (panel) {
    case 'cards': {
      const cards = findListedCards(state);
      const card = findSelectedCard(state);
      const at = card ? cards.indexOf(card) : 0;
      return { ...state, cardId: cards[moved(at, cards.length - 1, rows, step)]?.id ?? state.cardId };
    }
    case 'sales': {
      const last = state.sales.length - 1;
      const to = moved(findSelectedSaleIndex(state), last, rows, step);
      return { ...state, saleId: to >= last ? undefined : state.sales[to]?.saleId };
    }
    case 'calls': {
      const page = makeSalePage(state);
      return {
        ...state,
        callAt: moved(findSelectedStepIndex(state, page), page.steps.length - 1, rows, step),
      };
    }
    case 'terminals': {
      const last = findListedTerminals(state).length - 1;
      return { ...state, terminalAt: moved(Math.min(state.terminalAt, last), last, rows, step) };
    }
    case 'journal': {
      const lines = findListedJournalLines(state);
      const last = lines.length - 1;
      const to = moved(findSelectedJournalIndex(state), last, rows, step);
      return { ...state, journalAt: to >= last ? undefined : lines[to]?.seq };
    }
    case 'payments': {
      const payments = state.payments.toReversed();
      const payment = findSelectedPayment(state);
      const at = payment ? payments.indexOf(payment) : 0;
      return { ...state, paymentId: payments[moved(at, payments.length - 1, rows, step)]?.id };
    }
    case 'troubles': {
      const listed = findListedTroubles(state);
      const at = listed.findIndex(({ id }) => id === findSelectedTrouble(state)?.id);
      return { ...state, troubleId: listed[moved(at, listed.length - 1, rows, step)]?.id };
    }
    case 'receipt': {
      const last = Math.max(0, (findShownReceipt(state)?.lines.length ?? 0) - rows);
      return { ...state, receiptTop: moved(Math.min(state.receiptTop, last), last, rows, step) };
    }
    case 'sheet': {
      const last = Math.max(0, makeCurrentSheet(state).lines.length - rows);
      return { ...state, sheetTop: moved(Math.min(state.sheetTop, last), last, rows, step) };
    }
  }
}

/**
 * Returns the index of the selected line in the journal. While the journal follows new lines, this is the last line.
 */
export function findSelectedJournalIndex(state: TuiState): number {
  const lines = findListedJournalLines(state);
  if (state.journalAt === undefined) return lines.length - 1;
  const seq = state.journalAt;
  const at = lines.findLastIndex((line) => line.seq <= seq);
  return Math.max(0, at);
}

function moved(at: number, last: number, rows: number, step: ScrollStep): number {
  const page = Math.max(1, rows - 1);
  const half = Math.floor(rows / 2);
  // A turn of the wheel has to scroll the visible part by one row. The visible part scrolls only if the selected row is
  // in the middle of the visible part. Near the beginning and the end of the list, the selected row is not in the
  // middle. So the wheel starts from the nearest row that can be in the middle, and selects the row above it or below
  // it.
  const middle = Math.max(half, Math.min(last - (rows - 1 - half), at));
  const to = {
    lineUp: at - 1,
    lineDown: at + 1,
    pageUp: at - page,
    pageDown: at + page,
    home: 0,
    end: last,
    notchUp: middle - 1,
    notchDown: middle + 1 > last - (rows - 1 - half) ? last : middle + 1,
  }[step];
  return Math.max(0, Math.min(last, to));
}
