import { expect, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { NetworkFlapper } from './flapping.ts';

function setup() {
  const clock = new VirtualClock({ startMs: 0 });
  const seen: string[] = [];
  const noted: number[] = [];
  const flapping = new NetworkFlapper(
    clock,
    (up) => seen.push(`${up ? 'up' : 'down'} at ${clock.now()}`),
    (pattern) => noted.push(pattern?.times ?? 0),
  );
  return { clock, seen, noted, flapping };
}

test('the network goes down at once and as often as requested, and is up in between and at the end', async () => {
  const { clock, seen, flapping } = setup();
  flapping.start({ times: 2, downMs: 100, upMs: 400 });
  await clock.advance(10_000);
  expect(seen).toEqual(['down at 0', 'up at 100', 'down at 500', 'up at 600']);
});

test('a stopped flapping leaves the network as it is', async () => {
  const { clock, seen, flapping } = setup();
  flapping.start({ times: 3, downMs: 100, upMs: 400 });
  await clock.advance(150);
  flapping.stop();
  await clock.advance(10_000);
  expect(seen).toEqual(['down at 0', 'up at 100']);
});

test('a flapping that is started again replaces the former one', async () => {
  const { clock, seen, flapping } = setup();
  flapping.start({ times: 3, downMs: 100, upMs: 400 });
  await clock.advance(50);
  flapping.start({ times: 1, downMs: 200, upMs: 1 });
  await clock.advance(10_000);
  expect(seen).toEqual(['down at 0', 'down at 50', 'up at 250']);
});

test('the start of flapping is reported, and its end or stop once', async () => {
  const { clock, noted, flapping } = setup();
  expect(flapping.stop()).toBe(false);
  flapping.start({ times: 2, downMs: 100, upMs: 400 });
  await clock.advance(550);
  expect(noted).toEqual([2]);
  await clock.advance(100);
  expect(noted).toEqual([2, 0]);
  flapping.start({ times: 3, downMs: 100, upMs: 400 });
  expect(flapping.stop()).toBe(true);
  await clock.advance(10_000);
  expect(noted).toEqual([2, 0, 3, 0]);
});
