import type { Panel, Step } from './command.ts';
import { panelRows } from './panel-rows.ts';
import { listedCards, listedJournal, selectedCard, shownReceipt, type TuiState } from './state.ts';

/** Moves within a panel by a row, a page, or to an end. */
export function takeStep(state: TuiState, panel: Panel, step: Step): TuiState {
  const rows = panelRows(state, panel);
  switch (panel) {
    case 'cards': {
      const cards = listedCards(state);
      const card = selectedCard(state);
      const at = card ? cards.indexOf(card) : 0;
      return { ...state, cardId: cards[moved(at, cards.length - 1, rows, step)]?.id ?? state.cardId };
    }
    case 'journal': {
      const last = Math.max(0, listedJournal(state).length - rows);
      const top = moved(last - Math.min(last, state.journalBack), last, rows, step);
      return { ...state, journalBack: last - top };
    }
    case 'receipt': {
      const last = Math.max(0, (shownReceipt(state)?.lines.length ?? 0) - rows);
      return { ...state, receiptTop: moved(Math.min(state.receiptTop, last), last, rows, step) };
    }
  }
}

function moved(at: number, last: number, rows: number, step: Step): number {
  const page = Math.max(1, rows - 1);
  const to = {
    lineUp: at - 1,
    lineDown: at + 1,
    pageUp: at - page,
    pageDown: at + page,
    home: 0,
    end: last,
  }[step];
  return Math.max(0, Math.min(last, to));
}
