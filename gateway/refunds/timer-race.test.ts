import { afterEach, beforeEach, expect, test } from 'vitest';
import { Play } from './play.fixture.ts';

/**
 * With real time a timer can fire while a request that makes it pointless is being written. The virtual clock
 * never lets that happen, so here the timer's work is run by hand at the worst moment.
 */
let game: Play;
let fire: () => void;
beforeEach(async () => {
  game = await Play.start(0, (run) => {
    fire = run;
  });
});
afterEach(async () => {
  await game.clock.advance(0);
  expect(await game.books()).toMatchObject({ agree: true });
  expect(game.runtime.journal.since().filter(({ kind }) => kind === 'warning')).toEqual([]);
  await game.stop();
});

const types = async () => (await game.events()).map(({ type }) => type.replace('payments.', ''));

test('an authorization that is captured as it expires is captured only', async () => {
  await game.do({ do: 'preauthorize', card: 'visa', cents: 1000 });
  const capturing = game.do({ do: 'capture', of: 0 });
  fire();
  expect(await capturing).toBe('done');
  await game.clock.advance(0);
  expect(await types()).toEqual(['debits.preauthorized', 'debits.paid']);
});

test('a refund that is submitted, or fails, as it is due goes on once', async () => {
  await game.do({ do: 'charge', card: 'visa', cents: 1000 });
  for (const [way, cents] of [
    ['submit', 100],
    ['fail', 200],
  ] as const) {
    await game.do({ do: 'refund', of: 0, cents });
    const acting = game.do({ do: way, of: game.refunds.length - 1 });
    fire();
    expect(await acting).toBe('done');
    await game.clock.advance(0);
  }
  expect(await types()).toEqual([
    'debits.completed',
    'refunds.created',
    'refunds.submitted',
    'refunds.created',
    'refunds.failed',
  ]);
});

test('a refund whose card rejects it later is rejected no earlier, whatever timer is late', async () => {
  await game.do({ do: 'charge', card: 'refund-fails-later', cents: 1000 });
  await game.do({ do: 'refund', of: 0, cents: 100 });
  const late = fire;
  await game.clock.advance(2000);
  late();
  await game.clock.advance(4999);
  expect(await types()).toEqual(['debits.completed', 'refunds.created', 'refunds.submitted']);
  await game.clock.advance(1);
  expect((await types()).at(-1)).toBe('refunds.failed');
});
