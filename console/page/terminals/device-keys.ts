import type { TerminalKey } from '../../../shared/emulator/screen.ts';
import type { DeviceAct } from './device.tsx';

/** The effects of keyboard keys at the terminals. The letters are the same as in the text UI. */
export type KeyMeaning =
  | DeviceAct
  | { readonly do: 'card'; readonly by: 1 | -1 }
  | { readonly do: 'view'; readonly by: 1 | -1 }
  | { readonly do: 'search' | 'sale' | 'unblock' | 'help' };

const others: Record<string, KeyMeaning> = {
  Enter: { do: 'press', key: 'enter' },
  Backspace: { do: 'press', key: 'clear' },
  Delete: { do: 'press', key: 'clear' },
  Escape: { do: 'press', key: 'cancel' },
  ArrowUp: { do: 'card', by: -1 },
  ArrowDown: { do: 'card', by: 1 },
  ArrowLeft: { do: 'view', by: -1 },
  ArrowRight: { do: 'view', by: 1 },
  i: { do: 'insert' },
  t: { do: 'tap' },
  s: { do: 'swipe' },
  k: { do: 'key-in' },
  r: { do: 'remove' },
  u: { do: 'unblock' },
  p: { do: 'power' },
  n: { do: 'network' },
  a: { do: 'sale' },
  '/': { do: 'search' },
  '?': { do: 'help' },
};

export function findKeyMeaning(key: string): KeyMeaning | undefined {
  if (/^\d$/.test(key)) return { do: 'press', key: key as TerminalKey };
  return others[key.length === 1 ? key.toLowerCase() : key];
}
