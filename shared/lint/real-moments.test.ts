import { expect, test } from 'vitest';
import { Journal } from '../journal.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { lintJournal } from './lint-journal.ts';

/** A journal in virtual time. Its point of sale uses another clock. */
function setup() {
  const clock = new VirtualClock({ startMs: 0 });
  const real = new VirtualClock({ startMs: 1_000_000 });
  const journal = new Journal(clock, {}, real);
  let requests = 0;
  return {
    clock,
    real,
    journal,
    rules: () => lintJournal(journal.since()).map(({ rule }) => rule),
    async poll() {
      const about = {
        method: 'GET',
        path: '/payment-requests/status?transactionId=p1',
        requestId: `r${++requests}`,
      };
      journal.add('http.received', about);
      journal.add('http.answered', { ...about, status: 202, headers: { 'Retry-After': '5' }, durationMs: 0 });
    },
  };
}

test('a journal of virtual time also has real times, and one of real time does not need them (B250)', () => {
  const { journal } = setup();
  journal.add('warning', { message: 'w' });
  expect(JSON.parse(JSON.stringify(journal.latest))).toMatchObject({ at: 0, realAt: 1_000_000 });
  const clock: VirtualClock = Object.assign(new VirtualClock({ startMs: 0 }), { virtual: false as never });
  const ofRealTime = new Journal(clock, {}, clock);
  ofRealTime.add('warning', { message: 'w' });
  expect(JSON.stringify(ofRealTime.latest)).not.toContain('realAt');
});

test('a POS that waits for Retry-After in real time, while virtual time stands still, does not ask too fast (B250)', async () => {
  const { real, poll, rules } = setup();
  await poll();
  await real.advance(5_000);
  await poll();
  expect(rules()).toEqual([]);
});

test('a POS that waits for Retry-After in virtual time, which takes no real time, does not ask too fast (B250)', async () => {
  const { clock, poll, rules } = setup();
  await poll();
  await clock.advance(5_000);
  await poll();
  expect(rules()).toEqual([]);
});

test('a POS that waits in neither time asks too fast (B250)', async () => {
  const { clock, real, poll, rules } = setup();
  await poll();
  await clock.advance(2_000);
  await real.advance(2_000);
  await poll();
  expect(rules()).toEqual(['fast-polling']);
});

test.each([
  ['real', 'real'],
  ['virtual', 'clock'],
] as const)(
  'a POS that waits for its timeout in %s time has no short timeout (B250)',
  async (_name, which) => {
    const all = setup();
    const about = { method: 'GET', path: '/payment-requests/status?transactionId=p1', requestId: 'r' };
    all.journal.add('http.received', about);
    await all[which].advance(40_000);
    all.journal.add('http.hungUp', about);
    expect(all.rules()).toEqual([]);
  },
);
