import { expect, test } from 'vitest';
import { createRuntime } from './create-runtime.ts';
import { EndableRuntime } from './runtime-life.ts';
import { VirtualTimeWaits } from './skipping/time-waits.ts';
import { VirtualClock } from './virtual-clock.ts';

/**
 * A part's life can end within the process, just as if the part had been killed. These tests check that the part leaves
 * nothing behind when its life ends (B282).
 */

function setup() {
  const runtime = createRuntime({ clock: 'virtual', seed: 1 });
  const clock = runtime.clock as VirtualClock;
  return { runtime, clock, life: new EndableRuntime(runtime) };
}

test('a life runs in the time of the given clock, and its entries are in the journal', async () => {
  const { runtime, clock, life } = setup();
  const rang: number[] = [];
  life.runtime.clock.setTimeout(() => rang.push(life.runtime.clock.now()), 1_000);
  life.runtime.clock.clearTimeout(life.runtime.clock.setTimeout(() => rang.push(0), 500));
  await clock.advance(2_000);
  expect(rang).toEqual([Date.UTC(2026, 0, 1, 9, 0, 1)]);
  expect(life.runtime.clock).toBeInstanceOf(VirtualClock);
  await (life.runtime.clock as VirtualClock).advance(1_000);
  expect(runtime.clock.monotonic()).toBe(life.runtime.clock.monotonic());
  life.runtime.journal.add('warning', { message: 'said in life' });
  expect(runtime.journal.since().map(({ kind }) => kind)).toEqual(['warning']);
});

test('after a life ends none of its timers fire, and those of others do', async () => {
  const { runtime, clock, life } = setup();
  const rang: string[] = [];
  life.runtime.clock.setTimeout(() => rang.push('its own'), 1_000);
  runtime.clock.setTimeout(() => rang.push('another'), 1_000);
  life.end();
  life.runtime.clock.setTimeout(() => rang.push('its own, set later'), 1_000);
  await clock.advance(5_000);
  expect(rang).toEqual(['another']);
  expect(clock.nextDue()).toBeUndefined();
});

test('after a life ends it no longer holds time, and writes no entries', async () => {
  const { runtime, clock, life } = setup();
  const done = life.runtime.inFlight.begin();
  expect(clock.inFlight.idle).toBe(false);
  life.end();
  expect(clock.inFlight.idle).toBe(true);
  done();
  life.runtime.inFlight.begin();
  expect(clock.inFlight.idle).toBe(true);
  life.runtime.journal.add('warning', { message: 'said from the grave' });
  expect(runtime.journal.since()).toEqual([]);
});

test('a life waits for time and asks for due work until it ends', () => {
  const { runtime, life } = setup();
  const waits = runtime.timeWaits as VirtualTimeWaits;
  expect(life.runtime.timeWaits).toBeInstanceOf(VirtualTimeWaits);
  const done = life.runtime.timeWaits.wait(() => 'a request', 1_000);
  expect(waits.list().map(({ by }) => by)).toEqual(['a request']);
  done();
  life.runtime.timeWaits.wait(() => 'another', 1_000);
  life.runtime.timeWaits.due(500);
  life.end();
  life.runtime.timeWaits.wait(() => 'one from the grave', 1_000);
  expect([waits.list(), waits.dueUntil(Number.POSITIVE_INFINITY)]).toEqual([[], []]);
});

test('in real time a life works the same, and its timers end', async () => {
  const runtime = createRuntime();
  const life = new EndableRuntime(runtime);
  const rang: string[] = [];
  life.runtime.clock.setTimeout(() => rang.push('its own'), 0);
  life.end();
  await new Promise<void>((resolve) => void runtime.clock.setTimeout(resolve, 1));
  expect(rang).toEqual([]);
  expect(Math.abs(life.runtime.clock.monotonic() - runtime.clock.monotonic())).toBeLessThan(1_000);
});
