import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lifecycle as creditLifecycle } from '../../gateway/credits/core/lifecycle.ts';
import { decide, lifecycle } from '../../gateway/payments/core/lifecycle.ts';
import { lifecycle as debitLifecycle } from '../../gateway/saved-cards/core/lifecycle.ts';
import { refundLifecycle } from '../../gateway/saved-cards/core/refund-lifecycle.ts';
import { lifecycle as deliveryLifecycle } from '../../gateway/webhooks/lifecycle.ts';
import { scaledDraws } from '../draws.ts';
import { Coverage } from './coverage.ts';
import { allPlantedBugs } from './planted.ts';
import { playCredits, playDebits, playDeliveries, playHistories, playTwoOwners } from './play.ts';

const seed = 20_260_101;

test('random histories keep every invariant, and reach every transition of the lifecycle', async () => {
  const coverage = new Coverage(lifecycle);
  const { violation } = await playHistories({ histories: scaledDraws(1_000), seed, coverage });
  expect(violation).toBeUndefined();
  expect(coverage.missing()).toEqual([]);
});

test('random histories of two gateways and one terminal keep every invariant, including amounts given back (B490)', async () => {
  const { violation } = await playTwoOwners({ histories: scaledDraws(100), seed });
  expect(violation).toBeUndefined();
});

test('random histories of credits at two gateways keep every invariant, and reach every transition', async () => {
  const coverage = new Coverage(creditLifecycle);
  const { violation } = await playCredits({ histories: scaledDraws(500), seed, coverage });
  expect(violation).toBeUndefined();
  expect(coverage.missing()).toEqual([]);
});

test('random histories of debits and refunds at one or two gateways keep every invariant, and reach every transition', async () => {
  const coverage = { debits: new Coverage(debitLifecycle), refunds: new Coverage(refundLifecycle) };
  const { violation } = await playDebits({ histories: scaledDraws(500), seed, coverage });
  expect(violation).toBeUndefined();
  expect([...coverage.debits.missing(), ...coverage.refunds.missing()]).toEqual([]);
});

test('random histories of webhook deliveries by two gateways keep every invariant, and reach every transition', async () => {
  const coverage = new Coverage(deliveryLifecycle);
  const { violation } = await playDeliveries({ histories: scaledDraws(500), seed, coverage });
  expect(violation).toBeUndefined();
  expect(coverage.missing()).toEqual([]);
});

/** What the histories reported about planted bugs. */
const said: string[] = [];

test.each(allPlantedBugs)('histories detect it if $bug', async ({ play, seed, invariant }) => {
  const broken = await play(seed).catch(String);
  expect(broken, 'npm run histories -- --planted finds the seeds anew').toMatch(invariant);
  if (broken) said.push(broken);
});

test('every invariant of the histories is broken by a planted bug', () => {
  const folder = import.meta.dirname;
  const asserted = globSync(
    '{disk,invariants,two-owners/{history,afterwards,gateway},{credits,debits,webhooks}/{disk,history}}.ts',
    { cwd: folder },
  )
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .flatMap((text) =>
      Array.from(
        text.matchAll(/(?:throw |#break\()new Error\(\s*([`'])(.*?)\1,?\s*\)/g),
        ([, , says = '']) => says,
      ),
    );
  const unbroken = asserted.filter((says) => {
    const words = says.split(/\$\{.*?\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return !said.some((broken) => new RegExp(words.join('.+')).test(broken));
  });
  expect(asserted.length).toBeGreaterThan(20);
  expect(unbroken).toEqual([]);
});

const pairs = Object.entries(lifecycle).flatMap(([state, inputs]) =>
  Object.entries(inputs).map(([input, does]) => [state, input, does] as const),
);

test('every state of a payment handles every input', () => {
  expect(pairs).toHaveLength(5 * 17);
});

test.each(pairs.filter(([, , does]) => typeof does !== 'function'))(
  'a payment that is %s does not accept %s, and says why',
  (state, input, does) => {
    expect(does).toEqual({ impossible: expect.stringMatching(/./) });
    const decided = () =>
      decide({ is: state, unstored: false } as never, { is: input } as never, { monotonic: 0 } as never);
    if (state === 'none') expect(decided).toThrow('impossible');
  },
);
