import type { Canvas } from '../canvas.ts';
import type { Overlay } from '../command.ts';
import { middle } from '../layout.ts';
import { theme } from '../theme.ts';
import { drawButton } from './button.ts';

type Entry = readonly [keys: string, does: string];

interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

const columns: readonly (readonly Section[])[] = [
  [
    {
      title: 'The terminal',
      entries: [
        ['0-9', 'number keys and choices'],
        ['1-4 Enter', 'at the tip: a tip; none'],
        ['Enter', 'green key'],
        ['Backspace', 'yellow key, clear'],
        ['Esc', 'red key, cancel'],
        ['p', 'power on or off'],
        ['n', 'network cable in or out'],
        ['x', 'a shopper pays by itself'],
      ],
    },
    {
      title: 'The screen',
      entries: [
        ['Tab F1-F12', 'another terminal'],
        ['Left Right', 'another panel'],
        ['Up Down', 'move; PgUp PgDn Home End'],
        ['q Ctrl-C', 'quit, payments are safe'],
      ],
    },
  ],
  [
    {
      title: 'The selected card',
      entries: [
        ['i', 'insert into the slot'],
        ['r', 'remove from the slot'],
        ['t', 'tap'],
        ['s', 'swipe'],
        ['k', 'key in number and expiry'],
        ['u', 'unblock after wrong PINs'],
        ['/', 'find a card'],
      ],
    },
    {
      title: 'Sales and what went over the wire',
      entries: [
        ['a or $', 'ring up a sale'],
        ['v c', 'receipt; its other copy'],
        ['j Enter', 'journal; opens its lines'],
        ['/', 'there: words, kind:…'],
        ['d', 'its messages and keys too'],
        ['l', 'payments, why, and books'],
        ['f', 'what goes wrong next'],
        ['w', 'record a scenario'],
        ['b', 'the console in a browser'],
      ],
    },
  ],
];

/** What stands beside a terminal's name in its tab. */
function marksOf({ lampOn, lampOff, ok, fail }: Canvas['marks']): Section {
  return {
    title: 'Beside a terminal',
    entries: [
      [`${lampOn} ${lampOff}`, 'on; off'],
      ['?', 'asks the cardholder'],
      [`${ok} ${fail}`, 'approved; not approved'],
      ['!', 'no connection'],
    ],
  };
}

/** Every key and what it does. */
export function drawHelp(canvas: Canvas): void {
  const inside = drawHelpFrame(canvas, 'Help', { key: 'Tab', text: 'your own POS', overlay: 'access' });
  for (const [index, sections] of columns.entries()) {
    let y = 0;
    const shown = index === 0 ? [...sections, marksOf(canvas.marks)] : sections;
    for (const { title, entries } of shown) {
      inside.text(2 + index * 39, y++, title, theme.overlayStrong);
      for (const [keys, does] of entries) {
        inside.text(2 + index * 39, y, keys, theme.overlayStrong);
        inside.text(14 + index * 39, y++, does, theme.overlay);
      }
      y++;
    }
  }
}

/** The frame of a page of help, with the way to the other one. */
export function drawHelpFrame(
  canvas: Canvas,
  title: string,
  other: { key: string; text: string; overlay: Overlay },
): Canvas {
  const box = canvas.within(middle(canvas.width, canvas.height - 1, 80, 23));
  canvas.hot({ modal: true, click: { do: 'close' } });
  box.fill(theme.overlay);
  const inside = box.frame(theme.overlayStrong);
  box.text(2, 0, ` ${title} `, theme.overlayStrong);
  box.textRight(box.width - 2, 0, ' the mouse works on all of it ', theme.overlay);
  drawButton(box, 2, box.height - 1, ` ${other.key}  ${other.text} `, { do: 'open', overlay: other.overlay });
  return inside;
}
