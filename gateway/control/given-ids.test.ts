import { afterEach, beforeEach, expect, test } from 'vitest';
import { SavedCardsHarness } from '../saved-cards/saved-cards-harness.fixture.ts';

let harness: SavedCardsHarness;
beforeEach(async () => {
  harness = await SavedCardsHarness.start();
});
afterEach(() => harness.stop());

const making: [path: string, body: object][] = [
  ['accounts', { name: 'Other', currency: 'EUR' }],
  ['tokens', { accountId: 'shop' }],
  ['contacts', { accountId: 'shop', name: 'One' }],
  ['bank-accounts', { accountId: 'shop', name: 'One' }],
  ['webhooks', { accountId: 'shop', url: 'http://127.0.0.1:9/' }],
];

test.each(making)('an id that cannot be part of a path is refused: %s', async (path, body) => {
  for (const id of ['..', '../shop', ' ', 'a/b', 'ä', '', 'x'.repeat(65)]) {
    const { status, body: answer } = await harness.control('POST', `/control/${path}`, { ...body, id });
    expect([status, answer.details]).toEqual([
      400,
      [{ path: 'id', message: 'must be 1 to 64 letters, digits, . _ or -' }],
    ]);
  }
  const id = `A.b_c-${'x'.repeat(58)}`;
  expect((await harness.control('POST', `/control/${path}`, { ...body, id })).status).toBe(201);
});
