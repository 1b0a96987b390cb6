import { expect, test } from 'vitest';
import { type TestCardDefinition, testCardSchema } from '../../shared/emulator/cards.ts';
import { CardCatalogue } from './catalogue.ts';

function setup() {
  const make = (id: string, traits: object = {}): TestCardDefinition =>
    testCardSchema.parse({
      id,
      label: `Card ${id}`,
      number: '4111111111111111',
      expiry: '1249',
      country: '840',
      funding: 'credit',
      applications: [{ aid: 'A0000000031010', label: 'VISA CREDIT', brand: 'visa' }],
      ...traits,
    });
  const first = make('first', { pin: '1234', chip: { verification: 'offlinePin' } });
  const second = make('second', { number: '5555555555554444', contactless: { aboveLimit: 'allow' } });
  return { make, first, second, catalogue: new CardCatalogue([first, second]) };
}

test('a card is found by its id, and all stay in their order', () => {
  const { catalogue, first, second } = setup();
  expect(catalogue.get('first')).toBe(first);
  expect(catalogue.get('third')).toBeUndefined();
  expect(catalogue.all()).toEqual([first, second]);
});

test("a user's card replaces the card with the same id", () => {
  const { catalogue, make, second } = setup();
  const mine = make('first', { label: 'Mine' });
  catalogue.add(mine);
  expect(catalogue.all()).toEqual([mine, second]);
});

test('a blocked card stays blocked until it is reset', () => {
  const { catalogue } = setup();
  expect(catalogue.isBlocked('first')).toBe(false);
  catalogue.block('first');
  expect(catalogue.isBlocked('first')).toBe(true);
  expect(catalogue.summaries().map(({ blocked }) => blocked)).toEqual([true, false]);
  catalogue.reset('first');
  expect(catalogue.isBlocked('first')).toBe(false);
});

test('a number finds its card, and prefers a card that can be typed in', () => {
  const { catalogue, make, first } = setup();
  expect(catalogue.byNumber('4111111111111111')).toBe(first);
  expect(catalogue.byNumber('4000000000000002')).toBeUndefined();
  const silent = make('silent', { number: '4000000000000002', stripe: {}, keyed: false });
  const typed = make('typed', { number: '4000000000000002' });
  catalogue.add(silent);
  expect(catalogue.byNumber('4000000000000002')).toBe(silent);
  catalogue.add(typed);
  expect(catalogue.byNumber('4000000000000002')).toBe(typed);
});

test('a summary shows everything but the number', () => {
  const { catalogue } = setup();
  expect(catalogue.summaries()[0]).toEqual({
    id: 'first',
    label: 'Card first',
    brand: 'visa',
    maskedPan: '411111 **** 1111',
    expiry: '1249',
    pin: '1234',
    applications: ['VISA CREDIT'],
    entries: ['ICC', 'Keyed'],
    behaviour: 'chip: PIN 1234 offline; approves',
    note: '',
    blocked: false,
  });
  expect(JSON.stringify(catalogue.summaries())).not.toContain('4111111111111111');
});
