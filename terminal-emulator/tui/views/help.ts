import type { Canvas } from '../canvas.ts';
import { middle } from '../layout.ts';
import { selectedTerminal, type TuiState } from '../state.ts';
import { theme } from '../theme.ts';

type Entry = readonly [keys: string, does: string];

const columns: readonly (readonly { readonly title: string; readonly entries: readonly Entry[] }[])[] = [
  [
    {
      title: 'The terminal',
      entries: [
        ['0-9', 'number keys and choices'],
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
      title: 'Sales, paper, journal',
      entries: [
        ['a or $', 'ring up a sale'],
        ['v c', 'receipt; its other copy'],
        ['j', 'journal as a whole'],
        ['d', 'its messages and keys too'],
        ['w', 'record a scenario'],
      ],
    },
  ],
];

/** Everything that can be done, and how to send a payment from another window. */
export function drawHelp(canvas: Canvas, state: TuiState): void {
  const box = canvas.within(middle(canvas.width, canvas.height - 1, 80, 23));
  canvas.hot({ modal: true, click: { do: 'close' } });
  box.fill(theme.overlay);
  const inside = box.frame(theme.overlayStrong);
  box.text(2, 0, ' Help ', theme.overlayStrong);
  box.textRight(box.width - 2, 0, ' the mouse works on all of it ', theme.overlay);
  for (const [index, sections] of columns.entries()) {
    let y = 0;
    for (const { title, entries } of sections) {
      inside.text(2 + index * 39, y++, title, theme.overlayStrong);
      for (const [keys, does] of entries) {
        inside.text(2 + index * 39, y, keys, theme.overlayStrong);
        inside.text(14 + index * 39, y++, does, theme.overlay);
      }
      y++;
    }
  }
  drawRequest(inside, state);
}

/** What a request from elsewhere needs; each value stands alone, so that a double click copies it. */
function drawRequest(inside: Canvas, state: TuiState): void {
  const identifier = selectedTerminal(state)?.terminal.identifier ?? '';
  const { gatewayUrl, apiToken } = state.facts;
  const rows: readonly Entry[] = [
    ['gateway', gatewayUrl],
    ['terminal', identifier],
    ['Bearer', apiToken],
    ['POST', '/terminals/{terminal}/payment-request'],
    ['body', '{"paymentTransaction":{"amountsReq":{"requestedAmount":12.3}}}'],
  ];
  inside.text(2, 15, 'A payment from your own POS', theme.overlayStrong);
  for (const [index, [name, value]] of rows.entries()) {
    inside.text(2, 16 + index, name, theme.overlayFaint);
    inside.text(12, 16 + index, value, theme.overlay);
  }
}
