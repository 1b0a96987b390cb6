import type { Marks } from './marks.ts';

type Entry = readonly [keys: string, does: string];

interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** The two columns of the help. They are shown side by side if there is room. */
export const helpColumns: readonly (readonly Section[])[] = [
  [
    {
      title: 'The terminal',
      entries: [
        ['0-9', 'number keys and choices'],
        ['1-4 Enter', 'choose a tip; Enter: none'],
        ['Enter', 'green key'],
        ['Backspace', 'yellow key, clear'],
        ['Esc', 'red key, cancel'],
        ['p', 'power on or off'],
        ['n', 'network cable in or out'],
        ['x', 'an automatic shopper'],
      ],
    },
    {
      title: 'The screen',
      entries: [
        ['Tab F1 g', 'another terminal; g: find'],
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
      title: 'Sales and journal',
      entries: [
        ['a or $', 'ring up a sale'],
        ['v c', 'receipt; its other copy'],
        ['Enter o', 'open sale; o: wrong sale'],
        ['z', 'more sales, no device'],
        ['j', 'journal; Enter: a line'],
        ['/ d', 'in it: find; details'],
        ['l', 'payments, each with why'],
        ['f', 'make something fail'],
        ['w', 'record a scenario'],
        ['b', 'the console in a browser'],
      ],
    },
  ],
];

/** Explains the signs beside the terminals' names in the tabs. */
export function makeTabSignsHelp({ lampOn, lampOff, ok, fail }: Marks): Section {
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
