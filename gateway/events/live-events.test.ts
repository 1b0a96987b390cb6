import { expect, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { LiveEventFeed } from './live-events.ts';

function setup() {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const stored: { id: string; createdAt: number }[] = [];
  const reported: string[] = [];
  const asked: number[] = [];
  let hint = () => {};
  const live = new LiveEventFeed({
    clock,
    realClock: clock,
    otherGateways: {
      everyMs: 1_000,
      hear: (run) => {
        hint = run;
        return () => {};
      },
    },
    read: async (sinceMs) => {
      asked.push(sinceMs);
      return stored.filter(({ createdAt }) => createdAt >= sinceMs);
    },
    notify: (events) => reported.push(...events.map(({ id }) => id)),
  });
  const store = (id: string, agoMs = 0) => stored.push({ id, createdAt: clock.now() - agoMs });
  return { clock, store, reported, asked, live, hint: () => hint() };
}

test('events of all gateways are reported once each, and earlier events are not', async () => {
  const { clock, store, reported } = setup();
  store('before', 1);
  await clock.advance(500);
  store('one');
  await clock.advance(1_000);
  store('two');
  await clock.advance(5_000);
  expect(reported).toEqual(['one', 'two']);
});

test('an event that is stored late is not missed', async () => {
  const { clock, store, reported } = setup();
  await clock.advance(5_000);
  store('early');
  await clock.advance(4_000);
  store('late', 4_000);
  await clock.advance(1_000);
  expect(reported).toEqual(['early', 'late']);
});

test('a hint makes the reader look at once, and after a stop nothing is read', async () => {
  const { store, reported, asked, live, hint } = setup();
  store('one');
  hint();
  await live.readNow();
  expect(reported).toEqual(['one']);
  const reads = asked.length;
  await live.stop();
  hint();
  expect(asked).toHaveLength(reads);
});

test('events from a time in which the process stood still are reported when it continues', async () => {
  const { clock, store, reported, live } = setup();
  await live.readNow();
  store('meanwhile');
  clock.startAt(clock.now() + 600_000); // the time moves far ahead, but no timer runs
  await live.readNow();
  expect(reported).toEqual(['meanwhile']);
});
