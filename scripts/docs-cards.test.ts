import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { card } from '../shared/emulator/cards.ts';
import { defaultCards } from '../terminal-emulator/cards/default-cards.ts';
import { cardsPage, withCardsTable } from './docs-cards.ts';

const page = readFileSync(cardsPage, 'utf8');

test('docs/cards.md names every card of the tray', () => {
  for (const { id } of defaultCards) expect(page).toContain(`\`${id}\``);
});

test('a page without its marks is reported, not overwritten', () => {
  expect(() => withCardsTable('# Cards')).toThrow(/has no/);
});

test('every card that the page gives as an example can be used', () => {
  const examples = Array.from(page.matchAll(/```yaml\n([\s\S]*?)```/g), ([, text = '']) => parse(text));
  const cards = examples.flatMap((example) => example.cards);
  expect(cards.length).toBeGreaterThan(1);
  for (const given of cards) expect(card.safeParse(given).error?.issues).toBeUndefined();
});
