import type { DetailViewCommand } from './command.ts';
import type { UpdateResult } from './effect.ts';
import { findListedJournalLines } from './journal-filter.ts';
import { openOverlay } from './overlays.ts';
import { paymentIdOfEntry } from './payments.ts';
import { findSelectedStepIndex, makeSalePage } from './sale-page.ts';
import { findSelectedJournalIndex } from './scroll.ts';
import { findSelectedPayment, findSelectedSale, findSelectedSaleIndex, type TuiState } from './state.ts';

/** Marks a sale as read. After that, the notice about sales above the visible part of the list leaves this sale out. */
function withSaleRead(state: TuiState, saleId = findSelectedSale(state)?.saleId): TuiState {
  return saleId === undefined ? state : { ...state, salesRead: new Set(state.salesRead).add(saleId) };
}

/** Carries out the commands that show the past: the journal, the sales and the payments. */
export function updateDetailView(state: TuiState, command: DetailViewCommand): UpdateResult {
  switch (command.do) {
    case 'openEntry': {
      const journalAt = command.seq ?? findListedJournalLines(state)[findSelectedJournalIndex(state)]?.seq;
      if (journalAt === undefined) return { state };
      return { state: openOverlay({ ...state, journalAt, sheetTop: 0 }, 'entry') };
    }
    case 'otherEntry': {
      const lines = findListedJournalLines(state);
      const line = lines[findSelectedJournalIndex(state) + command.by];
      return { state: line ? { ...state, journalAt: line.seq, sheetTop: 0 } : state };
    }
    case 'only':
      return { state: filterByLine(state, command.what) };
    case 'openSale': {
      const saleId = command.saleId ?? state.saleId;
      if (state.sales.length === 0) return { state };
      return { state: openOverlay({ ...withSaleRead(state, saleId), saleId, callAt: 0 }, 'calls') };
    }
    case 'otherSale': {
      const other = state.sales[findSelectedSaleIndex(state) + command.by];
      if (!other)
        return withNotice(state, command.by < 0 ? 'This is the first sale.' : 'This is the last sale.');
      return { state: { ...withSaleRead(state, other.saleId), saleId: other.saleId, callAt: 0 } };
    }
    case 'openCall':
      return { state: openCall(state, command.index) };
    case 'salePayment': {
      const id = findSelectedSale(state)?.attempts.at(-1)?.payment;
      return id === undefined ? withNotice(state, 'This sale has no payment.') : openPayment(state, id);
    }
    case 'openPayment': {
      const id = command.id ?? findSelectedPayment(state)?.id;
      return id === undefined ? { state } : openPayment(state, id);
    }
    case 'paymentJournal': {
      const id = findSelectedPayment(state)?.id;
      return { state: openOverlay({ ...state, filter: `payment:${id}`, journalAt: undefined }, 'journal') };
    }
    case 'paymentReceipt':
      return { state: paymentReceipt(state) };
  }
}

/** Shows a text as the result of a key. Without a text, the key would seem to be ignored. */
function withNotice(state: TuiState, text: string): UpdateResult {
  return { state: { ...state, notice: { tone: 'neutral', passing: true, text } } };
}

function openPayment(state: TuiState, id: string): UpdateResult {
  if (!state.payments.some((payment) => payment.id === id))
    return withNotice(state, 'This screen does not have that payment.');
  const opened = openOverlay({ ...state, paymentId: id, sheetTop: 0 }, 'payment');
  return { state: opened, effect: { effect: 'explain', paymentId: id } };
}

/** Opens the message that belongs to a step of the open sale. */
function openCall(state: TuiState, index: number | undefined): TuiState {
  const page = makeSalePage(state);
  const at = index ?? findSelectedStepIndex(state, page);
  const seq = page.steps[at]?.seq;
  const chosen = { ...state, callAt: at };
  if (seq !== undefined && state.journal.some((line) => line.seq === seq))
    return openOverlay({ ...chosen, journalAt: seq, sheetTop: 0 }, 'entry');
  return {
    ...chosen,
    notice: { tone: 'neutral', passing: true, text: 'The journal no longer has this message.' },
  };
}

/**
 * Filters the journal by a property of the selected line. If the journal is already filtered in this way, removes the
 * filter.
 */
function filterByLine(state: TuiState, what: 'payment' | 'terminal' | 'kind'): TuiState {
  const line = findListedJournalLines(state)[findSelectedJournalIndex(state)];
  if (!line) return state;
  const value = {
    payment: paymentIdOfEntry(state.payments, line.entry),
    terminal: line.terminal,
    kind: line.entry.kind,
  }[what];
  if (value === undefined) return state;
  const word = `${what}:${value.toLowerCase()}`;
  return { ...state, filter: state.filter === word ? '' : word, journalAt: line.seq };
}

function paymentReceipt(state: TuiState): TuiState {
  const payment = findSelectedPayment(state);
  if (!payment) return state;
  const terminal = state.terminals.findIndex(({ poiId }) => poiId === payment.terminal);
  const there = terminal < 0 || terminal === state.terminal ? state : { ...state, terminal, receipts: [] };
  return openOverlay({ ...there, receiptFor: payment.id, receiptTop: 0 }, 'receipt');
}
