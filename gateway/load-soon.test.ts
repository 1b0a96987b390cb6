import { expect, test } from 'vitest';
import { VirtualClock } from '../shared/virtual-clock.ts';
import { loadSoon } from './load-soon.ts';

function setup() {
  const clock = new VirtualClock({ startMs: 0 });
  let loads = 0;
  const cancel = loadSoon(clock, async () => {
    loads++;
    throw new Error('no descriptors');
  });
  return { clock, cancel, loads: () => loads };
}

test('what a start does not need is loaded once after it, whether that works or not (B196)', async () => {
  const { clock, loads } = setup();
  await clock.advance(999);
  expect(loads()).toBe(0);
  await clock.advance(60_000);
  expect(loads()).toBe(1);
});

test('a gateway that is closed before loads nothing', async () => {
  const { clock, cancel, loads } = setup();
  cancel();
  await clock.advance(60_000);
  expect(loads()).toBe(0);
});
