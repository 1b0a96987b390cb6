import { expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { Journal } from '../../shared/journal.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { FindingsService } from './service.ts';

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** A gateway's journal and its judge; both clocks move only when moved. */
function setup(when: 'eager' | 'asked' | 'off' = 'eager') {
  const clock = new VirtualClock({ startMs: 0 });
  const realClock = new VirtualClock({ startMs: 1_000_000 });
  const journal = new Journal(clock, {}, realClock);
  const runtime = { ...createRuntime({ clock: 'virtual' }), clock, realClock, journal };
  const service = new FindingsService({ runtime, journal, when });
  const found: string[] = [];
  service.listen((change) => found.push(...change.found.map(({ rule }) => rule)));
  let requests = 0;
  const sends = (path: string, method = 'POST', headers: Record<string, string> = {}) => {
    const about = { method, path, requestId: `r${++requests}` };
    journal.add('http.received', { ...about, headers, accountId: 'shop', body: { amount: requests } });
    return about;
  };
  const pays = (key?: string) =>
    sends('/terminals/t1/payment-request', 'POST', key === undefined ? {} : { 'idempotency-key': key });
  return {
    clock,
    realClock,
    journal,
    service,
    found,
    sends,
    pays,
    answered: (about: ReturnType<typeof sends>, status: number) =>
      journal.add('http.answered', { ...about, status, durationMs: 0 }),
    hungUp: (about: ReturnType<typeof sends>) => journal.add('http.hungUp', about),
    rules: () => service.list().map(({ rule, count }) => `${rule} ${count}`),
  };
}

test('what is wrong is found in a turn of its own, after the answer, and told of once a cause (B255)', async () => {
  const { pays, answered, found, rules } = setup();
  answered(pays(), 200);
  expect(found).toEqual([]);
  await turn();
  expect(found).toEqual(['missing-key']);
  for (let times = 0; times < 3; times++) answered(pays(), 200);
  await turn();
  expect(found).toEqual(['missing-key']);
  expect(rules()).toEqual(['missing-key 4']);
});

test('what needs time is found when somebody looks, or something else happens, and no timer waits for it (B255)', async () => {
  const { clock, realClock, pays, hungUp, answered, found, service } = setup();
  await clock.advance(200_000);
  const lost = pays('k1');
  await clock.advance(200_000);
  hungUp(lost);
  await turn();
  await clock.advance(60_000);
  service.look();
  expect(found).toEqual([]); // its virtual minute may have been no time for the point of sale
  await realClock.advance(10_000);
  expect([clock.nextDue(), realClock.nextDue()]).toEqual([undefined, undefined]);
  expect(found).toEqual([]);
  answered(pays('k2'), 200);
  await turn();
  expect(found).toEqual(['unknown-outcome']);
});

test('a finding is taken back when the point of sale asks after all', async () => {
  const { clock, realClock, pays, hungUp, sends, answered, service, rules } = setup();
  const lost = pays('k1');
  await clock.advance(200_000);
  hungUp(lost);
  await clock.advance(60_000);
  await realClock.advance(10_000);
  service.look();
  expect(rules()).toEqual(['unknown-outcome 1']);
  answered(sends('/payment-requests/status?idempotencyKey=k1', 'GET'), 200);
  service.look();
  expect(rules()).toEqual([]);
});

test('at the end what was not asked for is never asked for', () => {
  const { pays, hungUp, service, clock } = setup();
  const lost = pays('k1');
  void clock.advance(200_000);
  hungUp(lost);
  expect(service.end()).toBe(2);
});

test('where lint waits to be asked, nothing is judged before, and all then', async () => {
  const { pays, answered, rules, service } = setup('asked');
  answered(pays(), 200);
  await turn();
  expect(rules()).toEqual([]);
  service.look();
  expect(rules()).toEqual(['missing-key 1']);
  const stop = service.follow();
  answered(pays(), 200);
  await turn();
  expect(rules()).toEqual(['missing-key 2']);
  stop();
});

test('where lint is off nothing is found', async () => {
  const { pays, answered, rules, service } = setup('off');
  answered(pays(), 200);
  await turn();
  service.look();
  expect(service.end()).toBe(0);
  expect(rules()).toEqual([]);
});

test('what is gone from the journal unread is no reason to blame anybody', async () => {
  const { clock, journal, pays, hungUp, sends, answered, rules, service } = setup('asked');
  const lost = pays('k1');
  await clock.advance(200_000);
  hungUp(lost);
  service.look();
  answered(sends('/payment-requests/status?idempotencyKey=k1', 'GET'), 200);
  for (let count = 0; count < 10_001; count++) journal.add('warning', { message: 'w' });
  service.end();
  expect(rules()).toEqual([]);
});
