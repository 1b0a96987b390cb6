import { formatDecimalAmount, majorToMinorOrFault } from '../../shared/money.ts';
import { readTypedAmount } from '../../shared/typed-amount.ts';
import { eraseKeyCharacters, type TypingCommand } from './command.ts';
import type { UpdateResult } from './effect.ts';
import { closeOverlay } from './overlays.ts';
import { findListedCards, type TuiState } from './state.ts';

/**
 * Puts typed text into the sale dialog, the filter of a list, or the search for a card. Also sends the sale that the
 * user has typed into the dialog.
 */
export function updateTyping(state: TuiState, command: TypingCommand): UpdateResult {
  if (state.overlay === 'sale') return typeIntoSale(state, command);
  if (command.do !== 'type' && command.do !== 'erase') return { state };
  const typed = command.do === 'type' ? command.text : undefined;
  if (state.overlay === 'terminals') return { state: typeIntoTerminals(state, typed) };
  return { state: state.overlay === 'filter' ? typeIntoFilter(state, typed) : typeIntoSearch(state, typed) };
}

function edited(text: string, typed: string, mostLetters: number): string {
  if (typed === eraseKeyCharacters.all) return '';
  return typed === eraseKeyCharacters.letter ? text.slice(0, -1) : (text + typed).slice(0, mostLetters);
}

function typeIntoSale(state: TuiState, command: TypingCommand): UpdateResult {
  const { amount, tip } = state.sale;
  const sale = (changes: Partial<TuiState['sale']>): UpdateResult => ({
    state: { ...state, sale: { amount, tip, ...changes } },
  });
  switch (command.do) {
    case 'type':
      return sale({ amount: edited(amount, command.text, 12) });
    case 'erase':
      return { state };
    case 'askTip':
      return sale({ tip: command.tip === 'other' ? !tip : command.tip });
    case 'submit': {
      const terminal = state.terminals[state.terminal];
      if (!terminal) return sale({ fault: 'there is no terminal to pay on' });
      const { currency } = state.facts;
      const read = readTypedAmount(amount, currency);
      if ('fault' in read) return sale({ fault: read.fault });
      const minor = majorToMinorOrFault(read.amount, currency);
      const shown = typeof minor === 'number' ? formatDecimalAmount(minor, currency) : String(read.amount);
      const text = `Sale of ${currency} ${shown} sent to ${terminal.poiId}, which waits for the cardholder`;
      return {
        state: { ...state, overlay: undefined, notice: { tone: 'neutral', passing: true, text } },
        effect: { effect: 'sale', poiId: terminal.poiId, amount: read.amount, tip },
      };
    }
  }
}

/**
 * Puts typed text into the filter of the list of terminals. If the user presses Esc, `typed` is undefined, and the
 * list is closed. The functions below do the same for other fields.
 */
function typeIntoTerminals(state: TuiState, typed: string | undefined): TuiState {
  if (typed === undefined) return { ...state, overlay: undefined };
  return { ...state, terminalFilter: edited(state.terminalFilter, typed, 40), terminalAt: 0 };
}

function typeIntoFilter(state: TuiState, typed: string | undefined): TuiState {
  if (typed === undefined) return closeOverlay({ ...state, filter: '' });
  return { ...state, filter: edited(state.filter, typed, 80), journalAt: undefined };
}

function typeIntoSearch(state: TuiState, typed: string | undefined): TuiState {
  if (typed === undefined) return { ...state, search: '', overlay: undefined };
  const found: TuiState = { ...state, search: edited(state.search, typed, 30), focus: 'cards' };
  return { ...found, cardId: findListedCards(found)[0]?.id ?? state.cardId };
}
