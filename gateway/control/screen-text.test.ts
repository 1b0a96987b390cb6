import { expect, test } from 'vitest';
import { exampleScreen } from './examples.ts';
import { formatScreenText } from './screen-text.ts';

test('a screen is drawn with its title, amount, choices in rows, and possible actions', () => {
  const text = formatScreenText({
    ...exampleScreen,
    title: 'Add a tip?',
    lines: ['A line that is far too long for the width of a terminal'],
    choices: [
      { key: '2', label: '18%', row: 0, column: 1 },
      { key: '1', label: '15%', row: 0, column: 0 },
      { key: '4', label: 'Other', row: 1, column: 0 },
    ],
    input: { label: 'PIN', text: '••' },
    card: { id: 'visa', label: 'Visa credit' },
  });
  expect(text).toBe(`┌──────────────────────────────────┐
│            Add a tip?            │
│              €12.50              │
│                                  │
│ A line that is far too long for  │
│ the width of a terminal          │
│ [1] 15%  [2] 18%                 │
│ [4] Other                        │
│ PIN: ••                          │
└──────────────────────────────────┘
state: presentCard
keys: cancel
entries: ICC Contactless MagStripe
power: on  network: up
card in the slot: Visa credit
`);
});

test('text without a space is broken at the width of the screen', () => {
  const rows = formatScreenText({ ...exampleScreen, lines: ['x'.repeat(40)] }).split('\n');
  expect(rows.filter((row) => row.includes('x')).map((row) => row.replaceAll(/[^x]/g, '').length)).toEqual([
    32, 8,
  ]);
});
