import type { CardSummary } from '../../shared/emulator/cards.ts';
import type { PrintedReceipt } from '../../shared/emulator/frames.ts';
import type { Screen } from '../../shared/emulator/screen.ts';
import type { Overlay, Panel } from './command.ts';
import type { JournalLine } from './journal-lines.ts';
import type { TuiFacts, TuiSource, TuiTerminal } from './source.ts';

/** One line for the person in front: what their last sale came to, or why something could not be done. */
export interface Notice {
  readonly tone: 'neutral' | 'success' | 'error';
  readonly text: string;
  /** True where it is over as soon as something else is tried. */
  readonly passing?: boolean;
}

/** What the screen shows of the terminals; read anew from the source whenever it changes. */
interface Shown {
  readonly facts: TuiFacts;
  readonly terminals: readonly TuiTerminal[];
  /** One for each terminal, in their order. */
  readonly screens: readonly Screen[];
  readonly cards: readonly CardSummary[];
  /** Of the selected terminal, oldest first. */
  readonly receipts: readonly PrintedReceipt[];
}

export interface TuiState extends Shown {
  readonly size: { readonly columns: number; readonly rows: number };
  /** Whether the locale has more than ASCII. */
  readonly unicode: boolean;
  /** Index of the terminal on the screen. */
  readonly terminal: number;
  readonly cardId: string | undefined;
  /** Words that cards must contain to be listed. */
  readonly search: string;
  readonly focus: Panel;
  readonly overlay: Overlay | undefined;
  readonly sale: { readonly amount: string; readonly tip: boolean; readonly fault?: string };
  readonly copy: PrintedReceipt['copy'];
  /** How many payments back the receipt on the screen is, and how many rows it is scrolled down. */
  readonly receiptsBack: number;
  readonly receiptTop: number;
  readonly journal: readonly JournalLine[];
  /** How many lines the journal is scrolled back; 0 follows. */
  readonly journalBack: number;
  /** Whether messages, keys and other small print are listed too. */
  readonly details: boolean;
  readonly notice: Notice | undefined;
}

/** How many journal lines are kept for scrolling back. */
export const journalCapacity = 2_000;

export function readSource(source: TuiSource, terminal: number): Shown {
  const terminals = source.terminals();
  const selected = terminals[Math.min(terminal, terminals.length - 1)];
  return {
    facts: source.facts,
    terminals,
    screens: terminals.map(({ poiId }) => source.screen(poiId)),
    cards: source.cards(),
    receipts: selected ? source.receipts(selected.poiId) : [],
  };
}

export function initialState(
  source: TuiSource,
  size: { columns: number; rows: number },
  unicode: boolean,
): TuiState {
  const shown = readSource(source, 0);
  return {
    ...shown,
    size,
    unicode,
    terminal: 0,
    cardId: shown.cards[0]?.id,
    search: '',
    focus: 'cards',
    overlay: undefined,
    sale: { amount: '', tip: true },
    copy: 'customerReceipt',
    receiptsBack: 0,
    receiptTop: 0,
    journal: [],
    journalBack: 0,
    details: false,
    notice: undefined,
  };
}

export function selectedTerminal(state: TuiState): { terminal: TuiTerminal; screen: Screen } | undefined {
  const terminal = state.terminals[state.terminal];
  const screen = state.screens[state.terminal];
  return terminal && screen ? { terminal, screen } : undefined;
}

/** The cards that the search leaves. */
export function listedCards(state: TuiState): readonly CardSummary[] {
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return state.cards;
  return state.cards.filter((card) => {
    const text = [card.id, card.label, card.brand, card.behaviour, card.note, card.maskedPan]
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function selectedCard(state: TuiState): CardSummary | undefined {
  const listed = listedCards(state);
  return listed.find((card) => card.id === state.cardId) ?? listed[0];
}

/** The journal's lines that are shown, oldest first. */
export function listedJournal(state: TuiState): readonly JournalLine[] {
  return state.details ? state.journal : state.journal.filter((line) => !line.detail);
}

/** The payments that left a receipt, newest first, by their transaction. */
export function receiptTransactions(state: TuiState): string[] {
  return [...new Set(state.receipts.map((receipt) => receipt.transactionId))].reverse();
}

/** The receipt on the screen: the copy asked for, or the one there is. */
export function shownReceipt(state: TuiState): PrintedReceipt | undefined {
  const transactionId = receiptTransactions(state)[state.receiptsBack];
  const copies = state.receipts.filter((receipt) => receipt.transactionId === transactionId);
  return copies.findLast((receipt) => receipt.copy === state.copy) ?? copies.at(-1);
}

/** The state with what the source shows now; a newly printed receipt comes to the front. */
export function refreshed(state: TuiState, shown: Shown): TuiState {
  const printed = shown.receipts.length > state.receipts.length;
  return {
    ...state,
    ...shown,
    terminal: Math.max(0, Math.min(state.terminal, shown.terminals.length - 1)),
    ...(printed ? { receiptsBack: 0, receiptTop: 0 } : {}),
  };
}

/** The state with what happened since; a journal that was scrolled back stays where it is. */
export function withJournal(state: TuiState, lines: readonly JournalLine[]): TuiState {
  if (lines.length === 0) return state;
  const listed = state.details ? lines : lines.filter((line) => !line.detail);
  const journal = [...state.journal, ...lines].slice(-journalCapacity);
  const journalBack = state.journalBack > 0 ? state.journalBack + listed.length : 0;
  return { ...state, journal, journalBack };
}
