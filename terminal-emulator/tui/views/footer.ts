import type { Canvas } from '../canvas.ts';
import type { Overlay, TuiCommand } from '../command.ts';
import { isTooSmallForDevice } from '../layout.ts';
import {
  findListedCards,
  findSelectedCard,
  findSelectedSale,
  findSelectedTerminalAndScreen,
  findShownReceipt,
  type TuiState,
} from '../state.ts';
import { textWidth } from '../text-width.ts';
import { theme } from '../theme.ts';
import { findSaleObstacle } from '../why-no-sale.ts';

interface Hint {
  readonly key: string;
  readonly text: string;
  readonly command?: TuiCommand;
  /** Whether this is the most likely next action. If so, it is drawn as a button. */
  readonly next?: boolean;
}

/**
 * Draws the keys that have an effect now. The most useful keys come first, and the keys for help and quit are always
 * there.
 */
export function drawFooter(canvas: Canvas, state: TuiState): void {
  let right = canvas.width - 1;
  for (const hint of lastHints(state)) {
    right -= hintWidth(hint);
    drawHint(canvas, right, hint);
    right -= 2;
  }
  let x = 1;
  for (const hint of hintsOf(state, canvas.marks)) {
    if (x + hintWidth(hint) > right) continue;
    drawHint(canvas, x, hint);
    x += hintWidth(hint) + 2;
  }
}

function hintWidth({ key, text }: Hint): number {
  return textWidth(key) + 1 + textWidth(text);
}

function drawHint(canvas: Canvas, x: number, hint: Hint): void {
  if (hint.next) canvas.text(x - 1, 0, ` ${hint.key} ${hint.text} `, theme.primary);
  else {
    const end = canvas.text(x, 0, hint.key, theme.accent);
    canvas.text(end + 1, 0, hint.text, theme.faint);
  }
  if (hint.command) canvas.hotspot({ x, y: 0, width: hintWidth(hint), height: 1 }, { click: hint.command });
}

function lastHints(state: TuiState): Hint[] {
  if (['help', 'access', 'console'].includes(state.overlay ?? ''))
    return [{ key: 'Esc', text: 'back', command: { do: 'close' } }];
  const help: Hint = { key: '?', text: 'help', command: { do: 'open', overlay: 'help' } };
  if (state.overlay) return [{ key: 'Ctrl-C', text: 'quit', command: { do: 'quit', now: true } }];
  return [{ key: 'q', text: 'quit', command: { do: 'quit' } }, help];
}

/**
 * Returns the hint for the key that explains a payment. If the request was refused, no payment began, and there is no
 * hint.
 */
function whyOf(state: TuiState): Hint[] {
  const hasPayment = (findSelectedSale(state)?.attempts.length ?? 0) > 0;
  return hasPayment ? [{ key: 'p', text: 'why, books', command: { do: 'salePayment' } }] : [];
}

function hintsOf(state: TuiState, marks: Canvas['marks']): Hint[] {
  if (state.overlay) return overlayHints[state.overlay](state, marks);
  const [next, ...more] = terminalHints(state);
  const first = next ? [{ ...next, next: true }, ...more] : [];
  const taken = new Set(first.map(({ key }) => key));
  return [...first, ...generalHints(state, marks).filter(({ key }) => !taken.has(key))];
}

const scrollHint = (marks: Canvas['marks']): Hint => ({
  key: `${marks.up}${marks.down} PgUp PgDn`,
  text: 'scroll',
});

/**
 * The hints that the footer shows while an overlay is open. The hints of each overlay name the keys that work in this
 * overlay.
 */
const overlayHints: Readonly<Record<Overlay, (state: TuiState, marks: Canvas['marks']) => Hint[]>> = {
  help: () => [{ key: 'Tab', text: 'your own POS', command: { do: 'open', overlay: 'access' } }],
  access: () => [
    { key: 'Tab', text: 'keys', command: { do: 'open', overlay: 'help' } },
    { key: 'b', text: 'console in a browser', command: { do: 'console' } },
  ],
  console: (state) =>
    state.consoleLink === undefined
      ? []
      : [{ key: 'Enter', text: 'open it in the browser of this machine', command: { do: 'browse' } }],
  sale: () => [
    { key: 'Enter', text: 'send', command: { do: 'submit' } },
    { key: 'Tab', text: 'tip yes/no', command: { do: 'askTip', tip: 'other' } },
    { key: 'Esc', text: 'close', command: { do: 'close' } },
  ],
  quit: () => [
    { key: 'y', text: 'quit', command: { do: 'quit', now: true } },
    { key: 'Esc', text: 'stay', command: { do: 'close' } },
  ],
  search: (_, marks) => [
    { key: 'Type', text: 'to find a card' },
    { key: `${marks.up}${marks.down}`, text: 'select' },
    { key: 'Enter', text: 'keep', command: { do: 'close' } },
    { key: 'Esc', text: 'show all', command: { do: 'erase' } },
  ],
  calls: (state, marks) => [
    { key: 'Enter', text: 'message', command: { do: 'openCall' } },
    ...whyOf(state),
    { key: marks.left, text: 'before', command: { do: 'otherSale', by: -1 } },
    { key: marks.right, text: 'after', command: { do: 'otherSale', by: 1 } },
    { key: 'Esc', text: 'back', command: { do: 'close' } },
  ],
  terminals: (_, marks) => [
    { key: 'Type', text: 'to find a terminal' },
    { key: `${marks.up}${marks.down}`, text: 'select' },
    { key: 'Enter', text: 'go there' },
    { key: 'Esc', text: 'stay', command: { do: 'erase' } },
  ],
  journal: (state) => journalHints(state),
  filter: () => [
    { key: 'Type', text: 'words, payment: terminal: kind:' },
    { key: 'Enter', text: 'keep', command: { do: 'close' } },
    { key: 'Esc', text: 'list all', command: { do: 'erase' } },
  ],
  entry: (_, marks) => [
    scrollHint(marks),
    { key: marks.left, text: 'before', command: { do: 'otherEntry', by: -1 } },
    { key: marks.right, text: 'after', command: { do: 'otherEntry', by: 1 } },
    { key: 'Esc', text: 'back', command: { do: 'close' } },
  ],
  payments: (_, marks) => [
    { key: `${marks.up}${marks.down} PgUp PgDn`, text: 'select' },
    { key: 'Enter', text: 'open', command: { do: 'openPayment' } },
    { key: 'Esc', text: 'close', command: { do: 'close' } },
  ],
  troubles: () => [
    { key: 'Enter', text: 'next payment', command: { do: 'setTrouble', mode: 'once' } },
    { key: 'a', text: 'always', command: { do: 'setTrouble', mode: 'always' } },
    { key: 'Bksp', text: 'undo', command: { do: 'setTrouble' } },
    { key: '1-9', text: 'later' },
    { key: 'Esc', text: 'close', command: { do: 'close' } },
  ],
  payment: (_, marks) => [
    scrollHint(marks),
    { key: 'j', text: 'its journal', command: { do: 'paymentJournal' } },
    { key: 'v', text: 'its receipts', command: { do: 'paymentReceipt' } },
    { key: 'Esc', text: 'back', command: { do: 'close' } },
  ],
  receipt: (_, marks) => [
    scrollHint(marks),
    { key: 'c', text: 'other copy', command: { do: 'switchCopy' } },
    { key: marks.left, text: 'older', command: { do: 'otherReceipt', by: 1 } },
    { key: marks.right, text: 'newer', command: { do: 'otherReceipt', by: -1 } },
    { key: 'Esc', text: 'close', command: { do: 'close' } },
  ],
};

function journalHints(state: TuiState): Hint[] {
  return [
    { key: 'Enter', text: 'open', command: { do: 'openEntry' } },
    { key: '/', text: 'filter', command: { do: 'open', overlay: 'filter' } },
    { key: 'Esc', text: 'close', command: { do: 'close' } },
    { key: 'p', text: 'payment', command: { do: 'only', what: 'payment' } },
    { key: 't', text: 'terminal', command: { do: 'only', what: 'terminal' } },
    { key: 'k', text: 'kind', command: { do: 'only', what: 'kind' } },
    { key: 'End', text: 'follow', command: { do: 'step', step: 'end', panel: 'journal' } },
    { key: 'd', text: state.details ? 'less' : 'details', command: { do: 'details' } },
  ];
}

/** Returns the hints for the actions that the terminal waits for. */
function terminalHints(state: TuiState): Hint[] {
  const selected = findSelectedTerminalAndScreen(state);
  if (!selected) return [];
  const { screen, terminal } = selected;
  if (screen.state === 'off') return [{ key: 'p', text: 'power on', command: { do: 'power' } }];
  const hints: Hint[] = [];
  if (!terminal.networkUp) hints.push({ key: 'n', text: 'plug in', command: { do: 'network' } });
  if (screen.entries.includes('ICC')) hints.push({ key: 'i', text: 'insert', command: { do: 'insert' } });
  if (screen.entries.includes('Contactless')) hints.push({ key: 't', text: 'tap', command: { do: 'tap' } });
  if (screen.entries.includes('MagStripe')) hints.push({ key: 's', text: 'swipe', command: { do: 'swipe' } });
  if (screen.entries.includes('Keyed')) hints.push({ key: 'k', text: 'key in', command: { do: 'keyIn' } });
  const digits = screen.keys.filter((key) => /^\d$/.test(key));
  if (screen.choices.length > 0) {
    const keys = screen.choices.map(({ key }) => key).filter((key) => key !== 'enter');
    hints.push({ key: keys.length > 1 ? `${keys[0]}-${keys.at(-1)}` : (keys[0] ?? ''), text: 'choose' });
  } else if (digits.length > 0) {
    const card = state.cards.find(({ id }) => id === screen.card?.id) ?? findSelectedCard(state);
    hints.push({ key: '0-9', text: screen.state === 'pin' && card?.pin ? `PIN ${card.pin}` : 'type' });
  }
  const press = (key: 'enter' | 'clear' | 'cancel', name: string, text: string) => {
    if (screen.keys.includes(key)) hints.push({ key: name, text, command: { do: 'press', key } });
  };
  press('enter', 'Enter', screen.choices.find(({ key }) => key === 'enter')?.label ?? 'OK');
  press('clear', 'Bksp', 'clear');
  press('cancel', 'Esc', 'cancel');
  if (screen.card) hints.push({ key: 'r', text: 'remove card', command: { do: 'remove' } });
  return hints;
}

function generalHints(state: TuiState, marks: Canvas['marks']): Hint[] {
  const selected = findSelectedTerminalAndScreen(state);
  const hints: Hint[] = [];
  const page = (key: string, text: string, overlay: Overlay) =>
    hints.push({ key, text, command: { do: 'open', overlay } });
  if (!findSaleObstacle(state))
    hints.push({ key: 'a', text: 'sale', command: { do: 'open', overlay: 'sale' }, next: true });
  if (state.sales.length > 0) hints.push({ key: 'Enter', text: 'open sale', command: { do: 'openSale' } });
  if (findShownReceipt(state)) page('v', 'receipt', 'receipt');
  page('j', 'journal', 'journal');
  page('l', 'payments', 'payments');
  page('f', 'faults', 'troubles');
  hints.push({ key: 'b', text: 'browser', command: { do: 'console' } });
  if (state.terminals.length > 1) page('g', 'terminals', 'terminals');
  if (findSelectedCard(state)?.blocked) hints.push({ key: 'u', text: 'unblock', command: { do: 'unblock' } });
  const fold = state.folded ? 'device' : 'more sales';
  if (!isTooSmallForDevice(state.size)) hints.push({ key: 'z', text: fold, command: { do: 'fold' } });
  hints.push({ key: 'p', text: 'power', command: { do: 'power' } });
  hints.push({ key: 'n', text: 'network', command: { do: 'network' } });
  if (findListedCards(state).length > 1)
    hints.push({ key: `${marks.up}${marks.down}`, text: state.focus === 'cards' ? 'card' : 'scroll' });
  page('/', 'find', 'search');
  const shopper = selected?.terminal.shopper ? 'shopper off' : 'shopper';
  hints.push({ key: 'x', text: shopper, command: { do: 'shopper' } });
  hints.push({ key: `${marks.left}${marks.right}`, text: 'panel', command: { do: 'nextPanel', by: 1 } });
  return hints;
}
