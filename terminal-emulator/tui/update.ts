import type { AutomaticShopperSettings, TerminalAction } from '../../shared/emulator/frames.ts';
import type { DeviceCommand, FocusablePanel, ScrollablePanel, TuiCommand, ViewCommand } from './command.ts';
import type { UpdateResult } from './effect.ts';
import { layoutOf } from './layout.ts';
import { closeOverlay, openOverlay } from './overlays.ts';
import { scrollPanel } from './scroll.ts';
import {
  findSelectedCard,
  findSelectedTerminalAndScreen,
  listReceiptTransactionIds,
  type TuiState,
} from './state.ts';
import { findListedTroubles, findSelectedTrouble } from './troubles.ts';
import { updateDetailView } from './update-history.ts';
import { updateTyping } from './update-typing.ts';

/** Carries out a command. The function is pure, so that tests can try every key without a terminal. */
export function applyTuiCommand(before: TuiState, command: TuiCommand): UpdateResult {
  const state = before.notice?.passing ? withoutNotice(before) : before;
  switch (command.do) {
    case 'quit':
      return quit(state, command.now ?? state.facts.scripted ?? false);
    case 'record':
      return { state, effect: { effect: 'record' } };
    case 'console':
      return { state: { ...state, overlay: 'console', beneath: [] }, effect: { effect: 'console' } };
    case 'browse':
      return browse(state);
    case 'nothing':
      return withError(state, `${command.key} does nothing on this page: Esc goes back, ? lists the keys.`);
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
      return operateTerminal(state, command);
    case 'setTrouble':
      return setTrouble(state, command);
    case 'openEntry':
    case 'openSale':
    case 'otherSale':
    case 'openCall':
    case 'salePayment':
    case 'otherEntry':
    case 'only':
    case 'openPayment':
    case 'paymentJournal':
    case 'paymentReceipt':
      return updateDetailView(state, command);
    case 'type':
    case 'erase':
    case 'askTip':
    case 'submit':
      return updateTyping(state, command);
    default:
      return { state: changeView(state, command) };
  }
}

function browse(state: TuiState): UpdateResult {
  const { consoleLink: link } = state;
  return { state, ...(link === undefined ? {} : { effect: { effect: 'browse', link } }) };
}

/** Quits. If a payment is under way, asks the user first, unless `now` is true. */
function quit(state: TuiState, now: boolean): UpdateResult {
  if (now || state.payments.every(({ ended }) => ended)) return { state, effect: { effect: 'quit' } };
  return { state: { ...state, overlay: 'quit' } };
}

/** Carries out a command that changes only the view. */
function changeView(state: TuiState, command: ViewCommand): TuiState {
  switch (command.do) {
    case 'selectTerminal':
      return selectTerminal(state, command.index);
    case 'nextTerminal': {
      const count = state.terminals.length;
      return selectTerminal(state, (state.terminal + command.by + count) % count);
    }
    case 'selectCard':
      return { ...state, cardId: command.id, focus: 'cards' };
    case 'selectTrouble':
      return { ...state, troubleId: command.id };
    case 'fold':
      return { ...state, folded: !state.folded };
    case 'step': {
      // After the user scrolls a panel with the wheel, that panel also gets the arrow keys and the End key.
      const panel = command.panel ?? state.focus;
      const focused = state.overlay || !isPanel(panel) ? state : { ...state, focus: panel };
      return scrollPanel(focused, panel, command.step);
    }
    case 'focus':
      return { ...state, focus: command.panel };
    case 'nextPanel':
      return { ...state, focus: nextPanel(state, command.by) };
    case 'open':
      return open(state, command.overlay);
    case 'close':
      return closeOverlay(state);
    case 'switchCopy':
      return {
        ...state,
        copy: state.copy === 'customerReceipt' ? 'cashierReceipt' : 'customerReceipt',
        receiptTop: 0,
      };
    case 'otherReceipt': {
      const last = Math.max(0, listReceiptTransactionIds(state).length - 1);
      const receiptsBack = Math.min(last, Math.max(0, state.receiptsBack + command.by));
      return { ...state, receiptsBack, receiptTop: 0, receiptFor: undefined };
    }
    case 'details':
      return { ...state, details: !state.details };
  }
}

function selectTerminal(state: TuiState, index: number): TuiState {
  const there = state.overlay === 'terminals' ? { ...state, overlay: undefined } : state;
  if (!state.terminals[index] || index === state.terminal) return there;
  return { ...there, terminal: index, receipts: [], receiptsBack: 0, receiptTop: 0, receiptFor: undefined };
}

function isPanel(stepped: ScrollablePanel): stepped is FocusablePanel {
  return ['receipt', 'cards', 'sales', 'journal'].includes(stepped);
}

function nextPanel(state: TuiState, by: 1 | -1): TuiState['focus'] {
  const layout = layoutOf(state);
  const shown: FocusablePanel[] = [
    ...(layout?.receipt ? (['receipt'] as const) : []),
    'cards',
    'sales',
    ...(layout?.journal ? (['journal'] as const) : []),
  ];
  const at = shown.indexOf(state.focus);
  return shown[(at + by + shown.length) % shown.length] ?? 'cards';
}

function open(state: TuiState, overlay: TuiState['overlay']): TuiState {
  if (overlay === 'sale')
    return { ...state, overlay, sale: { amount: '', tip: state.sale.tip }, beneath: [] };
  if (overlay === 'receipt') return { ...state, overlay, receiptTop: 0, receiptFor: undefined, beneath: [] };
  if (overlay === 'terminals')
    return { ...state, overlay, terminalFilter: '', terminalAt: state.terminal, beneath: [] };
  if (overlay === 'payments') return { ...state, overlay, paymentId: undefined, beneath: [] };
  if (overlay === 'filter')
    return openOverlay(state.overlay === 'journal' ? state : { ...state, overlay: 'journal' }, overlay);
  return { ...state, overlay, sheetTop: 0, beneath: [] };
}

function setTrouble(
  state: TuiState,
  { id, mode, after }: Extract<TuiCommand, { do: 'setTrouble' }>,
): UpdateResult {
  const poiId = findSelectedTerminalAndScreen(state)?.terminal.poiId;
  const trouble = findListedTroubles(state).find(
    (each) => each.id === (id ?? findSelectedTrouble(state)?.id),
  );
  if (poiId === undefined || !trouble) return { state };
  if (after !== undefined) {
    if (!trouble.canLetPass)
      return withError(state, 'This failure can be set only for the next payment, not for a later payment');
    const effect = { effect: 'trouble', poiId, id: trouble.id, mode: 'once', after } as const;
    return { state: { ...withoutNotice(state), troubleId: trouble.id }, effect };
  }
  const wanted = mode && !trouble.modes.includes(mode) ? trouble.modes[0] : mode;
  return {
    state: { ...withoutNotice(state), troubleId: trouble.id },
    effect: { effect: 'trouble', poiId, id: trouble.id, mode: wanted === trouble.mode ? undefined : wanted },
  };
}

/** Carries out a command that uses the terminal or a card. */
function operateTerminal(state: TuiState, command: DeviceCommand): UpdateResult {
  const selected = findSelectedTerminalAndScreen(state);
  if (!selected) return withError(state, 'No terminal is selected');
  const { terminal, screen } = selected;
  const act = (action: TerminalAction): UpdateResult => ({
    state: withoutNotice(state),
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
    default:
      return useCard(state, command.do, terminal, act);
  }
}

function useCard(
  state: TuiState,
  what: 'insert' | 'tap' | 'swipe' | 'keyIn' | 'unblock' | 'shopper',
  terminal: { poiId: string; shopper?: AutomaticShopperSettings },
  act: (action: TerminalAction) => UpdateResult,
): UpdateResult {
  const { poiId } = terminal;
  if (what === 'shopper' && terminal.shopper)
    return { state, effect: { effect: 'shopper', poiId, shopper: undefined } };
  const card = findSelectedCard(state);
  if (!card) return withError(state, 'No card of the tray matches the search');
  switch (what) {
    case 'unblock':
      return act({ action: 'resetCard', card: card.id });
    case 'keyIn':
      return { state: withoutNotice(state), effect: { effect: 'keyIn', poiId, card: card.id } };
    case 'shopper': {
      const entry = card.entries[0];
      if (!entry) return withError(state, `${card.label} cannot be read in any way`);
      const shopper: AutomaticShopperSettings = { card: card.id, entry, tip: 'none', thinkMs: 800 };
      return { state, effect: { effect: 'shopper', poiId, shopper } };
    }
    default:
      return act({ action: what, card: card.id });
  }
}

function withError(state: TuiState, text: string): UpdateResult {
  return { state: { ...state, notice: { tone: 'error', text, passing: true } } };
}

/** Removes the notice, because a notice lasts only until the next action. */
function withoutNotice(state: TuiState): TuiState {
  return { ...state, notice: undefined };
}
