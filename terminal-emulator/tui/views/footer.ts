import type { Canvas } from '../canvas.ts';
import type { Command } from '../command.ts';
import { listedCards, selectedCard, selectedTerminal, shownReceipt, type TuiState } from '../state.ts';
import { textWidth } from '../text-width.ts';
import { theme } from '../theme.ts';

interface Hint {
  readonly key: string;
  readonly text: string;
  readonly command?: Command;
}

/** The keys that mean something now, most useful first; help and quit are always there. */
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
  const end = canvas.text(x, 0, hint.key, theme.accent);
  canvas.text(end + 1, 0, hint.text, theme.faint);
  if (hint.command) canvas.hotspot({ x, y: 0, width: hintWidth(hint), height: 1 }, { click: hint.command });
}

function lastHints(state: TuiState): Hint[] {
  if (state.overlay === 'help') return [{ key: 'Esc', text: 'back', command: { do: 'close' } }];
  const help: Hint = { key: '?', text: 'help', command: { do: 'open', overlay: 'help' } };
  if (state.overlay) return [{ key: 'Ctrl-C', text: 'quit', command: { do: 'quit' } }];
  return [{ key: 'q', text: 'quit', command: { do: 'quit' } }, help];
}

function hintsOf(state: TuiState, marks: Canvas['marks']): Hint[] {
  const scroll: Hint = { key: `${marks.up}${marks.down} PgUp PgDn`, text: 'scroll' };
  switch (state.overlay) {
    case 'help':
      return [{ key: 'Esc', text: 'closes this page', command: { do: 'close' } }];
    case 'sale':
      return [
        { key: 'Enter', text: 'send', command: { do: 'submit' } },
        { key: 'Tab', text: 'tip yes/no', command: { do: 'askTip', tip: 'other' } },
        { key: 'Esc', text: 'close', command: { do: 'close' } },
      ];
    case 'search':
      return [
        { key: 'Type', text: 'to find a card' },
        { key: `${marks.up}${marks.down}`, text: 'select' },
        { key: 'Enter', text: 'keep', command: { do: 'close' } },
        { key: 'Esc', text: 'show all', command: { do: 'erase' } },
      ];
    case 'journal':
      return [
        scroll,
        { key: 'End', text: 'follow', command: { do: 'step', step: 'end', panel: 'journal' } },
        { key: 'd', text: state.details ? 'less' : 'details', command: { do: 'details' } },
        { key: 'Esc', text: 'close', command: { do: 'close' } },
      ];
    case 'receipt':
      return [
        scroll,
        { key: 'c', text: 'other copy', command: { do: 'switchCopy' } },
        { key: marks.left, text: 'older', command: { do: 'otherReceipt', by: 1 } },
        { key: marks.right, text: 'newer', command: { do: 'otherReceipt', by: -1 } },
        { key: 'Esc', text: 'close', command: { do: 'close' } },
      ];
    case undefined: {
      const first = terminalHints(state);
      const taken = new Set(first.map(({ key }) => key));
      return [...first, ...generalHints(state, marks).filter(({ key }) => !taken.has(key))];
    }
  }
}

/** What the terminal waits for. */
function terminalHints(state: TuiState): Hint[] {
  const screen = selectedTerminal(state)?.screen;
  if (!screen) return [];
  if (screen.state === 'off') return [{ key: 'p', text: 'power on', command: { do: 'power' } }];
  const hints: Hint[] = [];
  if (screen.entries.includes('ICC')) hints.push({ key: 'i', text: 'insert', command: { do: 'insert' } });
  if (screen.entries.includes('Contactless')) hints.push({ key: 't', text: 'tap', command: { do: 'tap' } });
  if (screen.entries.includes('MagStripe')) hints.push({ key: 's', text: 'swipe', command: { do: 'swipe' } });
  if (screen.entries.includes('Keyed')) hints.push({ key: 'k', text: 'key in', command: { do: 'keyIn' } });
  const digits = screen.keys.filter((key) => /^\d$/.test(key));
  if (screen.choices.length > 0) {
    const keys = screen.choices.map(({ key }) => key).filter((key) => key !== 'enter');
    hints.push({ key: keys.length > 1 ? `${keys[0]}-${keys.at(-1)}` : (keys[0] ?? ''), text: 'choose' });
  } else if (digits.length > 0) {
    const card = state.cards.find(({ id }) => id === screen.card?.id) ?? selectedCard(state);
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
  const selected = selectedTerminal(state);
  const hints: Hint[] = [{ key: 'a', text: 'sale', command: { do: 'open', overlay: 'sale' } }];
  if (shownReceipt(state))
    hints.push({ key: 'v', text: 'receipt', command: { do: 'open', overlay: 'receipt' } });
  if (state.terminals.length > 1)
    hints.push({ key: 'Tab', text: 'terminal', command: { do: 'nextTerminal', by: 1 } });
  if (listedCards(state).length > 1)
    hints.push({ key: `${marks.up}${marks.down}`, text: state.focus === 'cards' ? 'card' : 'scroll' });
  if (selectedCard(state)?.blocked) hints.push({ key: 'u', text: 'unblock', command: { do: 'unblock' } });
  hints.push({ key: 'p', text: 'power', command: { do: 'power' } });
  hints.push({ key: 'n', text: 'network', command: { do: 'network' } });
  hints.push({ key: '/', text: 'find', command: { do: 'open', overlay: 'search' } });
  const shopper = selected?.terminal.shopper ? 'shopper off' : 'shopper';
  hints.push({ key: 'x', text: shopper, command: { do: 'shopper' } });
  hints.push({ key: `${marks.left}${marks.right}`, text: 'panel', command: { do: 'nextPanel', by: 1 } });
  hints.push({ key: 'j', text: 'journal', command: { do: 'open', overlay: 'journal' } });
  return hints;
}
