import type { Key } from '../../shared/emulator/screen.ts';
import type { Command, Step } from './command.ts';
import type { TuiState } from './state.ts';

/** A key as the keyboard sends it: `name` for keys that print nothing, `text` for the character otherwise. */
export interface KeyPress {
  readonly name: string;
  readonly text: string;
}

/** What a key means now; undefined where it means nothing. */
export function commandOfKey(state: TuiState, key: KeyPress): Command | undefined {
  if (key.name === 'C-c') return { do: 'quit' };
  const functionKey = /^f(\d+)$/.exec(key.name);
  if (functionKey) return { do: 'selectTerminal', index: Number(functionKey[1]) - 1 };
  switch (state.overlay) {
    case 'sale':
      return saleKey(state, key);
    case 'search':
      return searchKey(key);
    case 'help':
      return closers.has(key.name) || /^[?q ]$/.test(key.text) ? { do: 'close' } : undefined;
    case 'journal':
    case 'receipt':
      return readingKey(state.overlay, key) ?? deviceKey(key);
    case undefined:
      return steps[key.name] ? { do: 'step', step: steps[key.name] as Step } : mainKey(key);
  }
}

const closers = new Set(['escape', 'enter', 'backspace']);

const steps: Record<string, Step> = {
  up: 'lineUp',
  down: 'lineDown',
  pageup: 'pageUp',
  pagedown: 'pageDown',
  home: 'home',
  end: 'end',
};

const terminalKeys: Record<string, Key> = {
  enter: 'enter',
  backspace: 'clear',
  delete: 'clear',
  escape: 'cancel',
};

/** The terminal's own keys: digits, and enter, clear and cancel. */
function deviceKey({ name, text }: KeyPress): Command | undefined {
  const key = /^\d$/.test(text) ? (text as Key) : terminalKeys[name];
  return key && { do: 'press', key };
}

const letters: Record<string, Command> = {
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
  d: { do: 'details' },
  '/': { do: 'open', overlay: 'search' },
  '?': { do: 'open', overlay: 'help' },
  h: { do: 'open', overlay: 'help' },
  w: { do: 'record' },
  q: { do: 'quit' },
};

function mainKey(key: KeyPress): Command | undefined {
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
  return deviceKey(key) ?? letters[key.text.toLowerCase()];
}

function readingKey(panel: 'journal' | 'receipt', { name, text }: KeyPress): Command | undefined {
  const step = steps[name];
  if (step) return { do: 'step', step, panel };
  if (name === 'escape' || text === 'q' || text === (panel === 'journal' ? 'j' : 'v')) return { do: 'close' };
  if (text === '?') return { do: 'open', overlay: 'help' };
  if (panel === 'journal') return text === 'd' ? { do: 'details' } : undefined;
  if (text === 'c' || name === 'tab') return { do: 'switchCopy' };
  if (name === 'left') return { do: 'otherReceipt', by: 1 };
  if (name === 'right') return { do: 'otherReceipt', by: -1 };
  return undefined;
}

function saleKey(_state: TuiState, { name, text }: KeyPress): Command | undefined {
  if (name === 'escape') return { do: 'close' };
  if (name === 'enter') return { do: 'submit' };
  if (name === 'backspace') return { do: 'erase' };
  if (['tab', 'S-tab', 'up', 'down', 'left', 'right'].includes(name) || text === ' ')
    return { do: 'askTip', tip: 'other' };
  if (text === 'y') return { do: 'askTip', tip: true };
  if (text === 'n') return { do: 'askTip', tip: false };
  return /^[\d.,]$/.test(text) ? { do: 'type', text } : undefined;
}

function searchKey({ name, text }: KeyPress): Command | undefined {
  if (name === 'escape') return { do: 'erase' };
  if (name === 'enter') return { do: 'close' };
  if (name === 'backspace') return { do: 'type', text: '\b' };
  const step = steps[name];
  if (step) return { do: 'step', step, panel: 'cards' };
  return text ? { do: 'type', text } : undefined;
}
