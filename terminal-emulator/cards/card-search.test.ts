import { expect, test } from 'vitest';
import { searchTextOf } from '../../shared/emulator/card-search.ts';
import { CardCatalogue } from './catalogue.ts';
import { defaultCards } from './default-cards.ts';

/**
 * Tests that a search for words finds the right cards. The tray of the screen and the tray of the console have this
 * search (B260).
 */

const cards = new CardCatalogue(defaultCards).summaries();
const found = (search: string) => cards.filter((card) => searchTextOf(card).includes(search));

test.each([
  ['a name', 'not enough', ['not-enough-balance']],
  ['an identifier', 'not-enough-bal', ['not-enough-balance']],
])('%s finds the card', (_, search, ids) => {
  expect(found(search).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  expect(found(search).length).toBeLessThan(5);
});

test('a brand finds its cards', () => {
  const brands = new Set(found('maestro').map(({ brand }) => brand));
  expect(brands).toContain('maestro');
});

test("a search for the issuer's answer finds the cards", () => {
  expect(found('declines').length).toBeGreaterThan(3);
  for (const card of found('declines'))
    expect([card.behaviour, card.label, card.note].join(' ')).toMatch(/declines/i);
});

test.each(['chip', 'tap', 'stripe'])(
  'the search "%s" finds the cards with that special trait, and ignores what nearly every card has',
  (way) => {
    const having = cards.filter(({ behaviour }) => behaviour.includes(`${way}: `));
    expect(having.length).toBeGreaterThan(cards.length * 0.7);
    expect(found(way).length).toBeGreaterThan(0);
    expect(found(way).length).toBeLessThan(cards.length / 2);
  },
);
