import { decimalText, parseMajor } from '../../shared/money.ts';
import { readTypedAmount } from '../../shared/typed-amount.ts';
import { erasing, type TuiCommand } from './command.ts';
import type { Updated } from './effect.ts';
import { closeOverlay } from './overlays.ts';
import { listedCards, type TuiState } from './state.ts';

export type Filling = Extract<TuiCommand, { do: 'type' | 'erase' | 'askTip' | 'submit' }>;

/** Puts typed text into the sale dialog, the journal's filter, or the search for a card or terminal. */
export function fill(state: TuiState, command: Filling): Updated {
  if (state.overlay === 'sale') return fillSale(state, command);
  if (state.overlay === 'terminals') return { state: fillTerminals(state, command) };
  return { state: state.overlay === 'filter' ? fillFilter(state, command) : fillSearch(state, command) };
}

function edited(text: string, typed: string, mostLetters: number): string {
  if (typed === erasing.all) return '';
  return typed === erasing.letter ? text.slice(0, -1) : (text + typed).slice(0, mostLetters);
}

function fillSale(state: TuiState, command: Filling): Updated {
  const { amount, tip } = state.sale;
  const sale = (changes: Partial<TuiState['sale']>): Updated => ({
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
      const minor = parseMajor(read.amount, currency);
      const shown = typeof minor === 'number' ? decimalText(minor, currency) : String(read.amount);
      const text = `Sale of ${currency} ${shown} sent to ${terminal.poiId}; it waits for the cardholder`;
      return {
        state: { ...state, overlay: undefined, notice: { tone: 'neutral', passing: true, text } },
        effect: { effect: 'sale', poiId: terminal.poiId, amount: read.amount, tip },
      };
    }
  }
}

function fillTerminals(state: TuiState, command: Filling): TuiState {
  switch (command.do) {
    case 'type':
      return { ...state, terminalFilter: edited(state.terminalFilter, command.text, 40), terminalAt: 0 };
    case 'erase':
      return { ...state, overlay: undefined };
    default:
      return state;
  }
}

function fillFilter(state: TuiState, command: Filling): TuiState {
  switch (command.do) {
    case 'type':
      return { ...state, filter: edited(state.filter, command.text, 80), journalAt: undefined };
    case 'erase':
      return closeOverlay({ ...state, filter: '' });
    default:
      return state;
  }
}

function fillSearch(state: TuiState, command: Filling): TuiState {
  switch (command.do) {
    case 'type': {
      const found: TuiState = { ...state, search: edited(state.search, command.text, 30), focus: 'cards' };
      return { ...found, cardId: listedCards(found)[0]?.id ?? state.cardId };
    }
    case 'erase':
      return { ...state, search: '', overlay: undefined };
    default:
      return state;
  }
}
