import type { Shopper, TerminalAction } from '../../shared/emulator/frames.ts';
import { decimalText, parseMajor } from '../../shared/money.ts';
import type { Command, Panel } from './command.ts';
import { layoutOf } from './layout.ts';
import { takeStep } from './scroll.ts';
import { type Notice, receiptTransactions, selectedCard, selectedTerminal, type TuiState } from './state.ts';

/** What has to happen outside after a command. */
export type Effect =
  | { effect: 'act'; poiId: string; action: TerminalAction }
  | { effect: 'keyIn'; poiId: string; card: string }
  | { effect: 'shopper'; poiId: string; shopper: Shopper | undefined }
  | { effect: 'sale'; poiId: string; amount: string; tip: boolean }
  | { effect: 'record' }
  | { effect: 'quit' };

/** The state after a command, and what is to be done. */
interface Updated {
  readonly state: TuiState;
  readonly effect?: Effect;
}

/** What a command does: a pure function, so that every key can be tested without a terminal. */
export function update(state: TuiState, command: Command): Updated {
  switch (command.do) {
    case 'quit':
      return { state, effect: { effect: 'quit' } };
    case 'record':
      return { state, effect: { effect: 'record' } };
    case 'press':
    case 'insert':
    case 'tap':
    case 'swipe':
    case 'keyIn':
    case 'remove':
    case 'unblock':
    case 'power':
    case 'network':
    case 'shopper':
      return handle(state, command);
    case 'type':
    case 'erase':
    case 'askTip':
    case 'submit':
      return state.overlay === 'sale' ? fillSale(state, command) : { state: fillSearch(state, command) };
    default:
      return { state: look(state, command) };
  }
}

type Looking = Exclude<Command, { do: 'quit' | 'record' } | Handling | Filling>;
type Handling = Extract<
  Command,
  {
    do:
      | 'press'
      | 'insert'
      | 'tap'
      | 'swipe'
      | 'keyIn'
      | 'remove'
      | 'unblock'
      | 'power'
      | 'network'
      | 'shopper';
  }
>;
type Filling = Extract<Command, { do: 'type' | 'erase' | 'askTip' | 'submit' }>;

/** Commands that change only what is looked at. */
function look(state: TuiState, command: Looking): TuiState {
  switch (command.do) {
    case 'selectTerminal':
      return selectTerminal(state, command.index);
    case 'nextTerminal': {
      const count = state.terminals.length;
      return selectTerminal(state, (state.terminal + command.by + count) % count);
    }
    case 'selectCard':
      return { ...state, cardId: command.id, focus: 'cards' };
    case 'step':
      return takeStep(state, command.panel ?? state.focus, command.step);
    case 'focus':
      return { ...state, focus: command.panel };
    case 'nextPanel':
      return { ...state, focus: nextPanel(state, command.by) };
    case 'open':
      return open(state, command.overlay);
    case 'close':
      return {
        ...state,
        overlay: undefined,
        journalBack: state.overlay === 'journal' ? 0 : state.journalBack,
      };
    case 'switchCopy':
      return {
        ...state,
        copy: state.copy === 'customerReceipt' ? 'cashierReceipt' : 'customerReceipt',
        receiptTop: 0,
      };
    case 'otherReceipt': {
      const last = Math.max(0, receiptTransactions(state).length - 1);
      const receiptsBack = Math.min(last, Math.max(0, state.receiptsBack + command.by));
      return { ...state, receiptsBack, receiptTop: 0 };
    }
    case 'details':
      return { ...state, details: !state.details, journalBack: 0 };
  }
}

function selectTerminal(state: TuiState, index: number): TuiState {
  if (!state.terminals[index] || index === state.terminal) return state;
  return { ...state, terminal: index, receipts: [], receiptsBack: 0, receiptTop: 0 };
}

function nextPanel(state: TuiState, by: 1 | -1): TuiState['focus'] {
  const layout = layoutOf(state);
  const panels: Panel[] = layout?.receipt ? ['receipt', 'cards', 'journal'] : ['cards', 'journal'];
  const at = panels.indexOf(state.focus);
  return panels[(at + by + panels.length) % panels.length] ?? 'cards';
}

function open(state: TuiState, overlay: TuiState['overlay']): TuiState {
  if (overlay === 'sale') return { ...state, overlay, sale: { amount: '', tip: state.sale.tip } };
  if (overlay === 'receipt') return { ...state, overlay, receiptTop: 0 };
  return { ...state, overlay };
}

/** Commands that act on the terminal or with a card. */
function handle(state: TuiState, command: Handling): Updated {
  const selected = selectedTerminal(state);
  if (!selected) return complain(state, 'There is no terminal');
  const { terminal, screen } = selected;
  const act = (action: TerminalAction): Updated => ({
    state: withoutComplaint(state),
    effect: { effect: 'act', poiId: terminal.poiId, action },
  });
  switch (command.do) {
    case 'press':
      return screen.keys.includes(command.key) ? act({ action: 'press', keys: [command.key] }) : { state };
    case 'remove':
      return act({ action: 'remove' });
    case 'power':
      return act({ action: 'power', on: screen.state === 'off' });
    case 'network':
      return act({ action: 'network', up: !terminal.networkUp });
    case 'insert':
    case 'tap':
    case 'swipe':
    case 'keyIn':
    case 'unblock':
    case 'shopper':
      return handleCard(state, command.do, terminal, act);
  }
}

function handleCard(
  state: TuiState,
  what: 'insert' | 'tap' | 'swipe' | 'keyIn' | 'unblock' | 'shopper',
  terminal: { poiId: string; shopper?: Shopper },
  act: (action: TerminalAction) => Updated,
): Updated {
  const { poiId } = terminal;
  if (what === 'shopper' && terminal.shopper)
    return { state, effect: { effect: 'shopper', poiId, shopper: undefined } };
  const card = selectedCard(state);
  if (!card) return complain(state, 'No card of the tray matches the search');
  switch (what) {
    case 'unblock':
      return act({ action: 'resetCard', card: card.id });
    case 'keyIn':
      return { state: withoutComplaint(state), effect: { effect: 'keyIn', poiId, card: card.id } };
    case 'shopper': {
      const entry = card.entries[0];
      if (!entry) return complain(state, `${card.label} cannot be read in any way`);
      const shopper: Shopper = { card: card.id, entry, tip: 'none', thinkMs: 800 };
      return { state, effect: { effect: 'shopper', poiId, shopper } };
    }
    default:
      return act({ action: what, card: card.id });
  }
}

function complain(state: TuiState, text: string): Updated {
  return { state: { ...state, notice: { tone: 'error', text, passing: true } } };
}

/** A complaint is over when the next thing is tried; the outcome of a sale stays. */
function withoutComplaint(state: TuiState): TuiState {
  return state.notice?.passing ? { ...state, notice: undefined } : state;
}

function fillSale(state: TuiState, command: Filling): Updated {
  const { amount, tip } = state.sale;
  const sale = (changes: Partial<TuiState['sale']>): Updated => ({
    state: { ...state, sale: { amount, tip, ...changes } },
  });
  switch (command.do) {
    case 'type':
      return amount.length < 12 ? sale({ amount: amount + command.text }) : { state };
    case 'erase':
      return sale({ amount: amount.slice(0, -1) });
    case 'askTip':
      return sale({ tip: command.tip === 'other' ? !tip : command.tip });
    case 'submit': {
      const terminal = state.terminals[state.terminal];
      if (!terminal) return sale({ fault: 'There is no terminal to pay on' });
      const text = amount.replace(',', '.');
      if (!/^(\d+(\.\d+)?|\.\d+)$/.test(text)) return sale({ fault: 'Type an amount, e.g. 12.30' });
      const { currency } = state.facts;
      const minor = parseMajor(Number(text), currency); // what cannot be paid the gateway refuses, in its words
      const shown = typeof minor === 'number' ? decimalText(minor, currency) : text;
      const notice: Notice = {
        tone: 'neutral',
        passing: true,
        text: `Sale of ${currency} ${shown} sent to ${terminal.name}; it waits for the cardholder`,
      };
      return {
        state: { ...state, overlay: undefined, notice },
        effect: { effect: 'sale', poiId: terminal.poiId, amount: text, tip },
      };
    }
  }
}

function fillSearch(state: TuiState, command: Filling): TuiState {
  switch (command.do) {
    case 'type': {
      const erased = command.text === '\b';
      const search = erased ? state.search.slice(0, -1) : (state.search + command.text).slice(0, 30);
      return { ...state, search, focus: 'cards' };
    }
    case 'erase':
      return { ...state, search: '', overlay: undefined };
    default:
      return state;
  }
}
