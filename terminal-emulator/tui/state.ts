import { searchTextOf } from '../../shared/emulator/card-search.ts';
import type { CardSummary } from '../../shared/emulator/cards.ts';
import type { PrintedReceipt } from '../../shared/emulator/frames.ts';
import type { Screen } from '../../shared/emulator/screen.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import type { FocusablePanel, Overlay } from './command.ts';
import { type JournalLine, makeJournalLine } from './journal-lines.ts';
import { type TuiPayment, updatePaymentsFromJournal } from './payments.ts';
import type {
  OfferedTrouble,
  PaymentExplanation,
  TuiGatewayFacts,
  TuiSource,
  TuiTerminal,
} from './source.ts';

/**
 * A line for the user. It says what was done, or why something could not be done. It is shown until the next action.
 */
export interface Notice {
  readonly tone: 'neutral' | 'success' | 'error';
  readonly text: string;
  /** Whether the notice also disappears at the next key, and when the terminal's screen changes. */
  readonly passing?: boolean;
}

/** The part of the state that comes from the source. Whenever the source has changed, this part is read again. */
interface SourceState {
  readonly facts: TuiGatewayFacts;
  readonly terminals: readonly TuiTerminal[];
  /** The screen of each terminal, in the order of the terminals. */
  readonly screens: readonly Screen[];
  readonly cards: readonly CardSummary[];
  /** The receipts of the selected terminal, oldest first. */
  readonly receipts: readonly PrintedReceipt[];
  readonly recording: boolean;
  /** The troubles that can be set. */
  readonly troubles: readonly OfferedTrouble[];
  /** Whether the characters that keyboard-wedge readers type are recognised as swipes. */
  readonly wedge: boolean;
}

interface Explained {
  readonly id: string;
  readonly account?: PaymentExplanation;
  readonly fault?: string;
}

export interface TuiState extends SourceState {
  readonly size: { readonly columns: number; readonly rows: number };
  /** Whether the window can show more than ASCII. */
  readonly unicode: boolean;
  /** The index of the terminal in view. */
  readonly terminal: number;
  readonly cardId?: string;
  /** The words that a card must contain to be listed. */
  readonly search: string;
  readonly focus: FocusablePanel;
  readonly overlay?: Overlay;
  readonly sale: { readonly amount: string; readonly tip: boolean; readonly fault?: string };
  readonly copy: PrintedReceipt['copy'];
  /**
   * Which receipt is on the screen: 0 is the receipt of the last payment, 1 is the receipt of the payment before it,
   * and so on. `receiptTop` says by how many rows this receipt is scrolled down.
   */
  readonly receiptsBack: number;
  readonly receiptTop: number;
  /** The payment whose receipts the user opened. If undefined, `receiptsBack` decides which receipt is shown. */
  readonly receiptFor?: string;
  readonly journal: readonly JournalLine[];
  readonly payments: readonly TuiPayment[];
  /** The sales, oldest first. */
  readonly sales: readonly Sale[];
  /** The id of the selected sale; undefined while the selection follows the latest sale. */
  readonly saleId?: string;
  /** The ids of the sales that the user has opened. */
  readonly salesRead: ReadonlySet<string>;
  /** The index of the selected step in the open sale. */
  readonly callAt: number;
  /** Whether only the text of the device is shown, so that there is more room for the sales. */
  readonly folded: boolean;
  /** The words that a terminal must contain to be listed. */
  readonly terminalFilter: string;
  /** The index of the selected terminal in the list of terminals. */
  readonly terminalAt: number;
  /** The seq of the selected line in the journal; undefined while the selection follows the last line. */
  readonly journalAt?: number;
  /** The words that a line of the journal must contain to be listed (journal-filter.ts). */
  readonly filter: string;
  /** The id of the selected payment; undefined while the selection follows the latest payment. */
  readonly paymentId?: string;
  readonly troubleId?: string;
  /** The gateway's data about the payment that was opened last. */
  readonly explained?: Explained;
  /** The latest link to the console; undefined if there is no console. */
  readonly consoleLink?: string;
  /** How many rows the open page is scrolled down. */
  readonly sheetTop: number;
  /**
   * The overlays under the open overlay, from the bottom up. When the open overlay is closed, the last of these is
   * shown again.
   */
  readonly beneath: readonly Overlay[];
  /** Whether the journal also lists messages, keys and other small print. */
  readonly details: boolean;
  readonly notice?: Notice;
}

/** The maximum number of journal lines that are kept. */
export const journalCapacity = 2_000;

export function readSourceState(source: TuiSource, terminal: number): SourceState {
  const terminals = source.terminals();
  const selected = terminals[Math.min(terminal, terminals.length - 1)];
  return {
    facts: source.facts,
    terminals,
    screens: terminals.map(({ poiId }) => source.screen(poiId)),
    cards: source.cards(),
    receipts: selected ? source.receipts(selected.poiId) : [],
    recording: source.recorder?.recording ?? false,
    troubles: source.troubles ?? [],
    wedge: source.wedge !== undefined,
  };
}

export function makeInitialState(
  source: TuiSource,
  size: { columns: number; rows: number },
  unicode: boolean,
): TuiState {
  const shown = readSourceState(source, 0);
  return {
    ...shown,
    size,
    unicode,
    terminal: 0,
    cardId: shown.cards[0]?.id,
    search: '',
    focus: 'cards',
    sale: { amount: '', tip: true },
    copy: 'customerReceipt',
    receiptsBack: 0,
    receiptTop: 0,
    journal: [],
    payments: [],
    sales: [],
    salesRead: new Set(),
    callAt: 0,
    folded: false,
    terminalFilter: '',
    terminalAt: 0,
    filter: '',
    sheetTop: 0,
    beneath: [],
    details: false,
  };
}

export function findSelectedTerminalAndScreen(
  state: TuiState,
): { terminal: TuiTerminal; screen: Screen } | undefined {
  const terminal = state.terminals[state.terminal];
  const screen = state.screens[state.terminal];
  return terminal && screen ? { terminal, screen } : undefined;
}

/**
 * Returns the cards that match the search. Cards whose name begins with the typed text come first. Next come the cards
 * for which each typed word is the beginning of a word in the card's name.
 */
export function findListedCards(state: TuiState): readonly CardSummary[] {
  const search = state.search.trim().toLowerCase();
  const words = search.split(/\s+/).filter(Boolean);
  if (words.length === 0) return state.cards;
  const found = state.cards.filter((card) => {
    const text = searchTextOf(card);
    return words.every((word) => text.includes(word));
  });
  const rank = ({ id, label }: CardSummary) => {
    const names = [id, label.toLowerCase()];
    if (names.some((name) => name.startsWith(search))) return 0;
    const parts = names.flatMap((name) => name.split(/[^\p{L}\p{N}]+/u));
    return words.every((word) => parts.some((part) => part.startsWith(word))) ? 1 : 2;
  };
  return found.toSorted((a, b) => rank(a) - rank(b));
}

export function findSelectedCard(state: TuiState): CardSummary | undefined {
  const listed = findListedCards(state);
  return listed.find((card) => card.id === state.cardId) ?? listed[0];
}

export function findSelectedPayment({ payments, paymentId }: TuiState): TuiPayment | undefined {
  return payments.find(({ id }) => id === paymentId) ?? payments.at(-1);
}

export function findSelectedSale({ sales, saleId }: TuiState): Sale | undefined {
  return sales.find((sale) => sale.saleId === saleId) ?? sales.at(-1);
}

/** Returns the index of the selected sale in the list. */
export function findSelectedSaleIndex(state: TuiState): number {
  const sale = findSelectedSale(state);
  return sale ? state.sales.indexOf(sale) : 0;
}

/**
 * Returns the identifiers of a sale and of its parts. If two sales share some of these identifiers, they are the same
 * sale.
 */
function saleIdentifiers({ saleId, calls, attempts }: Sale): string[] {
  return [saleId, ...calls.map(({ requestId }) => requestId), ...attempts.map(({ payment }) => payment)];
}

/** The maximum number of sales that are kept. */
const salesCapacity = 1_000;

/** Returns the state with the changed sales. The sales stay in the order in which they began. */
export function withSales(state: TuiState, changed: readonly Sale[]): TuiState {
  if (changed.length === 0) return state;
  const taken = new Set(changed.flatMap(saleIdentifiers));
  const others = state.sales.filter((sale) => !saleIdentifiers(sale).some((part) => taken.has(part)));
  const known = new Map(others.map((sale) => [sale.saleId, sale]));
  for (const sale of changed) known.set(sale.saleId, sale);
  const sales = [...known.values()].sort((a, b) =>
    a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0,
  );
  // If there is a mistake in a changed sale, a line about the sale takes the place of a notice that would disappear
  // soon anyway.
  const isWrong = changed.some(({ findings }) => findings.length > 0);
  const notice = isWrong && state.notice?.passing ? undefined : state.notice;
  return { ...state, sales: sales.slice(-salesCapacity), notice };
}

/** Returns the identifiers of the transactions for which a receipt was printed, newest first. */
export function listReceiptTransactionIds(state: TuiState): string[] {
  return [...new Set(state.receipts.map((receipt) => receipt.transactionId))].reverse();
}

/** Returns the receipt on the screen. If there are two copies, returns the copy that the user chose. */
export function findShownReceipt(state: TuiState): PrintedReceipt | undefined {
  const transactionId = state.receiptFor ?? listReceiptTransactionIds(state)[state.receiptsBack];
  const copies = state.receipts.filter((receipt) => receipt.transactionId === transactionId);
  return copies.findLast((receipt) => receipt.copy === state.copy) ?? copies.at(-1);
}

/**
 * Returns the state with the present data of the source. If a new receipt was printed since the last reading, this
 * receipt is shown.
 */
export function refreshState(state: TuiState, shown: SourceState): TuiState {
  const printed = shown.receipts.length > state.receipts.length;
  const moved = shown.screens[state.terminal]?.state !== state.screens[state.terminal]?.state;
  return {
    ...state,
    ...shown,
    notice: moved && state.notice?.passing ? undefined : state.notice,
    terminal: Math.max(0, Math.min(state.terminal, shown.terminals.length - 1)),
    ...(printed ? { receiptsBack: 0, receiptTop: 0, receiptFor: undefined } : {}),
  };
}

/** Returns the state with new entries added to the journal. A line that was selected stays selected. */
export function withJournal(state: TuiState, entries: readonly JournalEntry[]): TuiState {
  if (entries.length === 0) return state;
  const lines = entries.map(makeJournalLine);
  const journal = [...state.journal, ...lines].slice(-journalCapacity);
  return { ...state, journal, payments: updatePaymentsFromJournal(state.payments, entries) };
}
