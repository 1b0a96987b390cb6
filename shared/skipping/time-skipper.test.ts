import { expect, onTestFinished, test } from 'vitest';
import { Journal } from '../journal.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { TimeSkipper } from './time-skipper.ts';
import { VirtualTimeWaits } from './time-waits.ts';

function skipping(options: { settleMs?: number } = {}) {
  const [clock, realClock] = [new VirtualClock({ startMs: 0 }), new VirtualClock({ startMs: 0 })];
  const journal = new Journal(clock);
  const waits = new VirtualTimeWaits({ clock, realClock, inFlight: clock.inFlight, journal });
  const moving = new TimeSkipper({ clock, realClock, journal, waits }, options);
  void moving.run();
  onTestFinished(() => moving.stop());
  /** Lets this much real time pass, in small steps, and finishes all work after each step. */
  const pass = async (realMs: number) => {
    const until = realClock.monotonic() + realMs;
    while (realClock.monotonic() < until) {
      await realClock.moveTo(Math.min(until, realClock.monotonic() + 10));
      for (let turns = 0; turns < 5; turns++) await clock.inFlight.settled();
    }
  };
  const warnings = () => journal.since(0).flatMap(({ kind, data }) => (kind === 'warning' ? data : []));
  return { clock, waits, pass, warnings, activity: waits.activity };
}

const status = () => 'GET /payment-requests/status';

test('time moves from timer to timer, once nothing has happened for the patience period (B270)', async () => {
  const { clock, waits, pass } = skipping();
  clock.setTimeout(() => {}, 10_000);
  waits.wait(status, 30_000);
  await pass(40);
  expect(clock.now()).toBe(0);
  await pass(10);
  expect(clock.now()).toBe(30_000);
});

test('the effects of a timer get a patience period before the next timer (B270)', async () => {
  const { clock, waits, pass, activity } = skipping();
  clock.setTimeout(() => activity.request('acts', 'POST /abort'), 10_000);
  waits.wait(status, 30_000);
  await pass(60);
  expect(clock.now()).toBe(10_000);
  await pass(50);
  expect(clock.now()).toBe(30_000);
});

test('time stands still during actions without a request, and for the patience period afterwards (B390)', async () => {
  const { clock, waits, pass } = skipping();
  let acts = true;
  const over = waits.standWhile(() => acts);
  waits.wait(status, 30_000);
  await pass(400);
  expect(clock.now()).toBe(0);
  acts = false;
  await pass(100);
  expect(clock.now()).toBe(30_000);
  over();
});

test('a message that was sent just before a check arrives before time moves (B390)', async () => {
  const { clock, waits, pass, activity } = skipping();
  let looks = 0;
  waits.standWhile(() => {
    if (looks++ === 0) setImmediate(() => activity.request('acts', 'POST /abort'));
    return false;
  });
  waits.wait(status, 30_000);
  await pass(80);
  expect(clock.now()).toBe(0);
  await pass(60);
  expect(clock.now()).toBe(30_000);
});

test('time stands still while something is in flight, and then moves by itself (B270)', async () => {
  const { clock, waits, pass } = skipping();
  const done = clock.inFlight.begin();
  waits.wait(status, 30_000);
  const turns = () => new Promise((resolve) => setImmediate(resolve));
  await turns();
  expect(clock.now()).toBe(0);
  done();
  await pass(60);
  expect(clock.now()).toBe(30_000);
});

test('nobody waits longer than ten minutes, whatever their limit is (B270)', async () => {
  const { clock, waits, pass } = skipping();
  clock.setTimeout(() => {}, 48 * 3_600_000);
  waits.wait(status, 24 * 3_600_000);
  await pass(3_600_000 / 100);
  expect(clock.now()).toBe(600_000);
});

test('a POS that reads again and again keeps time still, and the log says so once (B271, B276)', async () => {
  const { clock, waits, pass, warnings, activity } = skipping();
  waits.wait(status, 30_000);
  for (let reads = 0; reads < 600; reads++) {
    activity.request('reads', 'GET /terminals');
    await pass(20);
  }
  expect(clock.now()).toBe(0);
  expect(activity.keptBy).toBe('GET /terminals');
  expect(warnings()).toEqual([
    { message: expect.stringContaining('because a client keeps calling GET /terminals') },
  ]);
});

test('a single look keeps time still for a second, and a watcher does not keep it still (B271)', async () => {
  for (const [doing, ms] of [
    ['looks', 1_000],
    ['unseen', 0],
  ] as const) {
    const { clock, waits, pass, warnings, activity } = skipping();
    waits.wait(status, 30_000);
    const look = async (forMs: number) => {
      for (let realMs = 0; realMs < forMs; realMs += 20) {
        activity.request(doing, 'GET /control');
        await pass(20);
      }
    };
    await look(ms);
    expect(clock.now()).toBe(0);
    await look(100);
    expect(clock.now()).toBe(30_000);
    waits.asking(() => [{ terminal: 'V400m-1', state: 'pin' }])();
    await look(6_000);
    expect([activity.keptBy, warnings()]).toEqual([undefined, []]);
  }
});

test('a connection restarts the patience period until its first request says what it is for (B271)', async () => {
  const { clock, waits, pass, activity } = skipping();
  waits.wait(status, 30_000);
  const [health, pos] = [{}, {}];
  await pass(40);
  activity.connected(pos);
  await pass(40);
  activity.connected(health);
  activity.asked(health, 'unseen');
  activity.disconnected(health);
  expect(clock.now()).toBe(0);
  await pass(20);
  expect(clock.now()).toBe(30_000);
});

test('automatic work is waited for if the stack was started with that option (B275)', async () => {
  for (const [settleMs, passedMs] of [
    [0, 0],
    [60_000, 60_000],
  ] as const) {
    const { clock, waits, pass, activity } = skipping({ settleMs });
    const again = () => {
      const due = waits.due(5_000);
      clock.setTimeout(() => {
        due();
        again();
      }, 5_000);
    };
    again();
    activity.request('acts', 'POST /charge');
    await pass(3_600);
    expect(clock.now()).toBe(passedMs);
  }
});
