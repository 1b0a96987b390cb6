import { expect, test } from 'vitest';
import { decide, lifecycle } from '../../gateway/payments/lifecycle.ts';
import { draws } from '../draws.ts';
import { Coverage } from './coverage.ts';
import { playHistories } from './play.ts';

test('random histories keep every invariant, and come to every transition of the lifecycle', () => {
  const coverage = new Coverage();
  expect(playHistories({ histories: draws(1_000), seed: 20_260_101, coverage }).violation).toBeUndefined();
  expect(coverage.missing()).toEqual([]);
});

const pairs = Object.entries(lifecycle).flatMap(([state, inputs]) =>
  Object.entries(inputs).map(([input, does]) => [state, input, does] as const),
);

test('every state knows every input', () => {
  expect(pairs).toHaveLength(5 * 17);
});

test.each(pairs.filter(([, , does]) => typeof does !== 'function'))(
  'a payment that is %s takes no %s, and says why',
  (state, input, does) => {
    expect(does).toEqual({ impossible: expect.stringMatching(/./) });
    const decided = () =>
      decide({ is: state, unstored: false } as never, { is: input } as never, { monotonic: 0 } as never);
    if (state === 'none') expect(decided).toThrow('impossible');
  },
);
