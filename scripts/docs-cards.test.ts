import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { testCardSchema } from '../shared/emulator/cards.ts';
import { defaultCards } from '../terminal-emulator/cards/default-cards.ts';
import { cardsPagePath, withCardsTable } from './docs-cards.ts';

const page = readFileSync(cardsPagePath, 'utf8');

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
  for (const given of cards) expect(testCardSchema.safeParse(given).error?.issues).toBeUndefined();
});
