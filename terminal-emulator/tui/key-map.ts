import type { TerminalKey } from '../../shared/emulator/screen.ts';
import { eraseKeyCharacters, type ScrollablePanel, type ScrollStep, type TuiCommand } from './command.ts';
import { isTooSmall, isTooSmallForDevice } from './layout.ts';
import { findListedTerminals } from './listed-terminals.ts';
import type { TuiState } from './state.ts';
import { findUnopenedWrongSalesAbove, findWrongSaleInView } from './wrong-sales.ts';

/**
 * A key as the keyboard sends it. `text` is the character that the key prints; `name` names a key that prints nothing.
 */
export interface KeyPress {
  readonly name: string;
  readonly text: string;
}

/** Returns the command of a key while the screen asks whether the user wants to quit. */
function quitKey({ text }: KeyPress): TuiCommand {
  return /^[yq]$/i.test(text) ? { do: 'quit', now: true } : { do: 'close' };
}

function tooSmallKey({ text }: KeyPress): TuiCommand | undefined {
  return /^q$/i.test(text) ? { do: 'quit' } : undefined;
}

/** Returns the command of a key in the present state; undefined if the key does nothing. */
export function commandOfKey(state: TuiState, key: KeyPress): TuiCommand | undefined {
  if (key.name === 'C-c') return { do: 'quit', now: true };
  // In a window that is too small, the terminal is not drawn. The terminal's keys then do nothing, because the user
  // could not see their effect.
  if (isTooSmall(state.size)) return state.overlay === 'quit' ? quitKey(key) : tooSmallKey(key);
  const functionKey = /^f(\d+)$/.exec(key.name);
  if (functionKey) return { do: 'selectTerminal', index: Number(functionKey[1]) - 1 };
  switch (state.overlay) {
    case 'sale':
      return saleKey(key);
    case 'quit':
      return quitKey(key);
    case 'search':
      return searchKey(key, 'cards');
    case 'help':
    case 'access':
      if (isTooSmallForDevice(state.size) && scrollSteps[key.name])
        return { do: 'step', step: scrollSteps[key.name] as ScrollStep, panel: 'sheet' };
      if (key.text === 'b') return { do: 'console' };
      if (['tab', 'left', 'right'].includes(key.name))
        return { do: 'open', overlay: state.overlay === 'help' ? 'access' : 'help' };
      return closingKeys.has(key.name) || /^[?q ]$/.test(key.text) ? { do: 'close' } : doesNothing(key);
    case 'console':
      if (key.name === 'enter') return { do: 'browse' };
      if (key.text === 'b') return { do: 'console' };
      return closingKeys.has(key.name) || /^[q?]$/.test(key.text) ? { do: 'close' } : doesNothing(key);
    case 'filter':
      return searchKey(key, 'journal');
    case 'terminals':
      return terminalListKey(state, key);
    case 'calls':
    case 'journal':
    case 'entry':
    case 'payments':
    case 'payment':
    case 'troubles':
      return pageKey(state.overlay, key) ?? doesNothing(key);
    case 'receipt':
      return pageKey('receipt', key) ?? keypadKey(key) ?? doesNothing(key);
    case undefined:
      if (scrollSteps[key.name]) return { do: 'step', step: scrollSteps[key.name] as ScrollStep };
      return listKey(state, key) ?? mainKey(state, key);
  }
}

const keyNames: Readonly<Record<string, string>> = {
  tab: 'Tab',
  left: 'Left',
  right: 'Right',
  enter: 'Enter',
  backspace: 'Backspace',
};

/**
 * Returns a command that shows a text for a key that does nothing here. Without this text, users would think that the
 * page hangs (B260).
 */
function doesNothing({ name, text }: KeyPress): TuiCommand | undefined {
  const key = text.trim() || keyNames[name];
  return key ? { do: 'nothing', key } : undefined;
}

const closingKeys = new Set(['escape', 'enter', 'backspace']);

const scrollSteps: Record<string, ScrollStep> = {
  up: 'lineUp',
  down: 'lineDown',
  pageup: 'pageUp',
  pagedown: 'pageDown',
  home: 'home',
  end: 'end',
};

const keypadKeys: Record<string, TerminalKey> = {
  enter: 'enter',
  backspace: 'clear',
  delete: 'clear',
  escape: 'cancel',
};

/** Returns the command for a key of the terminal itself: a digit, enter, clear or cancel. */
function keypadKey({ name, text }: KeyPress): TuiCommand | undefined {
  const key = /^\d$/.test(text) ? (text as TerminalKey) : keypadKeys[name];
  return key && { do: 'press', key };
}

const letterCommands: Record<string, TuiCommand> = {
  i: { do: 'insert' },
  t: { do: 'tap' },
  s: { do: 'swipe' },
  k: { do: 'keyIn' },
  r: { do: 'remove' },
  u: { do: 'unblock' },
  p: { do: 'power' },
  n: { do: 'network' },
  x: { do: 'shopper' },
  a: { do: 'open', overlay: 'sale' },
  $: { do: 'open', overlay: 'sale' },
  v: { do: 'open', overlay: 'receipt' },
  c: { do: 'switchCopy' },
  j: { do: 'open', overlay: 'journal' },
  l: { do: 'open', overlay: 'payments' },
  f: { do: 'open', overlay: 'troubles' },
  g: { do: 'open', overlay: 'terminals' },
  z: { do: 'fold' },
  d: { do: 'details' },
  '/': { do: 'open', overlay: 'search' },
  '?': { do: 'open', overlay: 'help' },
  h: { do: 'open', overlay: 'help' },
  w: { do: 'record' },
  b: { do: 'console' },
  q: { do: 'quit' },
};

function mainKey(state: TuiState, key: KeyPress): TuiCommand | undefined {
  switch (key.name) {
    case 'tab':
      return { do: 'nextTerminal', by: 1 };
    case 'S-tab':
      return { do: 'nextTerminal', by: -1 };
    case 'left':
      return { do: 'nextPanel', by: -1 };
    case 'right':
      return { do: 'nextPanel', by: 1 };
  }
  if (key.text.toLowerCase() === 'o') return openWrongSale(state);
  return keypadKey(key) ?? letterCommands[key.text.toLowerCase()];
}

/**
 * Returns a command that opens a sale with a mistake. The command opens the last sale with a mistake that is above the
 * visible part of the list and that the user has not opened yet (B363). If there is no such sale, it opens the last
 * visible sale with a mistake.
 */
function openWrongSale(state: TuiState): TuiCommand | undefined {
  const saleId = (findUnopenedWrongSalesAbove(state).at(-1) ?? findWrongSaleInView(state))?.saleId;
  return saleId === undefined ? undefined : { do: 'openSale', saleId };
}

/**
 * Returns the command of a key that has no effect at the terminal itself. Enter opens the selected sale. If the arrow
 * keys control the journal, Enter opens the selected line of the journal instead.
 */
function listKey(state: TuiState, { name, text }: KeyPress): TuiCommand | undefined {
  const taken = state.screens[state.terminal]?.keys.includes('enter');
  if (state.focus === 'journal' && text === '/') return { do: 'open', overlay: 'filter' };
  if (name !== 'enter' || taken) return undefined;
  return state.focus === 'journal' ? { do: 'openEntry' } : { do: 'openSale' };
}

function terminalListKey(state: TuiState, key: KeyPress): TuiCommand | undefined {
  if (key.name !== 'enter') return searchKey(key, 'terminals');
  const listed = findListedTerminals(state);
  const chosen = listed[Math.min(state.terminalAt, listed.length - 1)];
  return chosen ? { do: 'selectTerminal', index: chosen.index } : undefined;
}

type Page = 'calls' | 'journal' | 'entry' | 'payments' | 'payment' | 'troubles' | 'receipt';

/**
 * The commands of the digit keys. Each key sets the selected trouble (something that is made to go wrong), which
 * happens after the typed number of payments have passed.
 */
const paymentsToPass = Object.fromEntries(
  [1, 2, 3, 4, 5, 6, 7, 8, 9].map((after) => [String(after), { do: 'setTrouble', after }] as const),
) satisfies Record<string, TuiCommand>;

/** For each page: the part of the page that scrolls, and the commands of Enter and of other keys. */
const pages: Record<Page, { readonly panel: ScrollablePanel; readonly keys: Record<string, TuiCommand> }> = {
  calls: {
    panel: 'calls',
    keys: {
      enter: { do: 'openCall' },
      left: { do: 'otherSale', by: -1 },
      right: { do: 'otherSale', by: 1 },
      p: { do: 'salePayment' },
    },
  },
  journal: {
    panel: 'journal',
    keys: {
      enter: { do: 'openEntry' },
      j: { do: 'close' },
      d: { do: 'details' },
      '/': { do: 'open', overlay: 'filter' },
      p: { do: 'only', what: 'payment' },
      t: { do: 'only', what: 'terminal' },
      k: { do: 'only', what: 'kind' },
      l: { do: 'open', overlay: 'payments' },
    },
  },
  entry: {
    panel: 'sheet',
    keys: {
      enter: { do: 'close' },
      left: { do: 'otherEntry', by: -1 },
      right: { do: 'otherEntry', by: 1 },
    },
  },
  troubles: {
    panel: 'troubles',
    keys: {
      enter: { do: 'setTrouble', mode: 'once' },
      a: { do: 'setTrouble', mode: 'always' },
      ...paymentsToPass,
      backspace: { do: 'setTrouble' },
      delete: { do: 'setTrouble' },
      f: { do: 'close' },
      tab: { do: 'nextTerminal', by: 1 },
    },
  },
  payments: { panel: 'payments', keys: { enter: { do: 'openPayment' }, l: { do: 'close' } } },
  payment: {
    panel: 'sheet',
    keys: {
      enter: { do: 'close' },
      j: { do: 'paymentJournal' },
      v: { do: 'paymentReceipt' },
    },
  },
  receipt: {
    panel: 'receipt',
    keys: {
      v: { do: 'close' },
      c: { do: 'switchCopy' },
      tab: { do: 'switchCopy' },
      left: { do: 'otherReceipt', by: 1 },
      right: { do: 'otherReceipt', by: -1 },
    },
  },
};

function pageKey(page: Page, { name, text }: KeyPress): TuiCommand | undefined {
  const { panel, keys } = pages[page];
  const step = scrollSteps[name];
  if (step) return { do: 'step', step, panel };
  if (name === 'escape' || text === 'q') return { do: 'close' };
  if (text === '?') return { do: 'open', overlay: 'help' };
  return keys[text.toLowerCase()] ?? keys[name];
}

function saleKey({ name, text }: KeyPress): TuiCommand | undefined {
  if (name === 'escape') return { do: 'close' };
  if (name === 'enter') return { do: 'submit' };
  if (['tab', 'S-tab', 'up', 'down', 'left', 'right'].includes(name)) return { do: 'askTip', tip: 'other' };
  return typeKey(name, text);
}

function typeKey(name: string, text: string): TuiCommand | undefined {
  if (name === 'backspace') return { do: 'type', text: eraseKeyCharacters.letter };
  if (name === 'C-u') return { do: 'type', text: eraseKeyCharacters.all };
  return text ? { do: 'type', text } : undefined;
}

function searchKey({ name, text }: KeyPress, panel: ScrollablePanel): TuiCommand | undefined {
  if (name === 'escape') return { do: 'erase' };
  if (name === 'enter') return { do: 'close' };
  const step = scrollSteps[name];
  return step ? { do: 'step', step, panel } : typeKey(name, text);
}
