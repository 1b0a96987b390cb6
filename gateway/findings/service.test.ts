import { expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { Journal, type JournalLimits } from '../../shared/journal.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { FindingReporter } from './finding-reporter.ts';
import { FindingsService } from './service.ts';

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/**
 * Opens a gateway's journal and the service that finds mistakes in it. Both clocks move only when the test moves them.
 */
function setup(when: 'eager' | 'asked' | 'off' = 'eager', limits: Partial<JournalLimits> = {}) {
  const clock = new VirtualClock({ startMs: 0 });
  const realClock = new VirtualClock({ startMs: 1_000_000 });
  const journal = new Journal(clock, limits, realClock);
  const runtime = { ...createRuntime({ clock: 'virtual' }), clock, realClock, journal };
  const reporter = new FindingReporter();
  const service = new FindingsService({ runtime, journal, when, reporter });
  const found: string[] = [];
  reporter.listen(({ rule }) => found.push(rule));
  let requests = 0;
  const sends = (path: string, method = 'POST', headers: Record<string, string> = {}, body?: object) => {
    const about = { method, path, requestId: `r${++requests}` };
    journal.add('http.received', {
      ...about,
      headers,
      accountId: 'shop',
      body: body ?? { amount: requests },
    });
    return about;
  };
  const pays = (key?: string, body?: object) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    return sends('/terminals/t1/payment-request', 'POST', headers, body);
  };
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

test('a mistake is found in its own turn after the answer, and each cause is reported once (B255)', async () => {
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

test('a mistake that shows only with time is found at the next look or event, and no timer waits for it (B255)', async () => {
  const { clock, realClock, pays, hungUp, answered, found, service } = setup();
  await clock.advance(200_000);
  const lost = pays('k1');
  await clock.advance(200_000);
  hungUp(lost);
  await turn();
  await clock.advance(60_000);
  service.findMistakes();
  // Only the virtual clock has moved by a minute. In real time the POS had no chance yet to ask for the outcome.
  expect(found).toEqual([]);
  await realClock.advance(10_000);
  expect([clock.nextDue(), realClock.nextDue()]).toEqual([undefined, undefined]);
  expect(found).toEqual([]);
  answered(pays('k2'), 200);
  await turn();
  expect(found).toEqual(['unknown-outcome']);
});

test('a finding is withdrawn if the point of sale asks after all', async () => {
  const { clock, realClock, pays, hungUp, sends, answered, service, rules } = setup();
  const lost = pays('k1');
  await clock.advance(200_000);
  hungUp(lost);
  await clock.advance(60_000);
  await realClock.advance(10_000);
  service.findMistakes();
  expect(rules()).toEqual(['unknown-outcome 1']);
  answered(sends('/payment-requests/status?idempotencyKey=k1', 'GET'), 200);
  service.findMistakes();
  expect(rules()).toEqual([]);
});

const of10 = { amount: 10 };
const asks = '/payment-requests/status?idempotencyKey=k1';

/** Requests a payment. The POS waits as long as it must, and then hangs up without an answer. */
async function isLost({ clock, pays, hungUp }: ReturnType<typeof setup>, key: string): Promise<void> {
  const lost = pays(key, of10);
  await clock.advance(200_000);
  hungUp(lost);
}

test('a payment that was asked for a hundred times is still known when the next one begins (B360)', async () => {
  const all = setup();
  const { clock, pays, answered, sends, service, rules } = all;
  await isLost(all, 'k1');
  for (let asked = 0; asked < 100; asked++) {
    await clock.advance(5_000);
    answered(sends(asks, 'GET'), 303);
    service.findMistakes();
  }
  answered(pays('k2', of10), 200);
  service.findMistakes();
  expect(rules()).toEqual(['blind-payment-retry 1']);
});

test('a sale that is retried blindly many times is one finding with a count, and is reported once (B254)', async () => {
  const all = setup();
  const { service, rules } = all;
  for (const key of ['k1', 'k2', 'k3', 'k4']) {
    await isLost(all, key);
    service.findMistakes();
  }
  expect(rules()).toContain('blind-payment-retry 3');
  expect(all.found.filter((rule) => rule === 'blind-payment-retry')).toHaveLength(1);
});

test('the requests that identify a payment are not dropped to keep later ones (B360)', async () => {
  const all = setup();
  const { clock, pays, answered, sends, service, rules } = all;
  await isLost(all, 'k1');
  answered(sends(asks, 'GET'), 200);
  for (let asked = 0; asked < 50; asked++) {
    await clock.advance(5_000);
    answered(sends(asks, 'GET'), 303);
    service.findMistakes();
  }
  answered(pays('k2', of10), 200);
  service.findMistakes();
  expect(rules()).toEqual([]);
});

test('the findings about a sale with many requests stay, and few of its requests are compared (B360)', async () => {
  const all = setup();
  for (let times = 0; times < 100; times++) {
    await isLost(all, `k${times}`);
    all.service.findMistakes();
  }
  expect(all.rules()).toContain('blind-payment-retry 99');
});

test('at the end, a status call that is still missing counts as never made', () => {
  const { pays, hungUp, service, clock } = setup();
  const lost = pays('k1');
  void clock.advance(200_000);
  hungUp(lost);
  expect(service.end()).toBe(2);
});

test('if lint runs only on request, it judges nothing before the request, and everything then', async () => {
  const { pays, answered, rules, service } = setup('asked');
  answered(pays(), 200);
  await turn();
  expect(rules()).toEqual([]);
  service.findMistakes();
  expect(rules()).toEqual(['missing-key 1']);
  const stop = service.follow();
  answered(pays(), 200);
  await turn();
  expect(rules()).toEqual(['missing-key 2']);
  stop();
});

test('if lint is off, nothing is found', async () => {
  const { pays, answered, rules, service } = setup('off');
  answered(pays(), 200);
  await turn();
  service.findMistakes();
  expect(service.end()).toBe(0);
  expect(rules()).toEqual([]);
});

test('entries that the journal dropped unread are not held against anybody', async () => {
  const { clock, journal, pays, hungUp, sends, answered, rules, service } = setup('asked');
  const lost = pays('k1');
  await clock.advance(200_000);
  hungUp(lost);
  service.findMistakes();
  answered(sends('/payment-requests/status?idempotencyKey=k1', 'GET'), 200);
  for (let count = 0; count < 10_001; count++) journal.add('warning', { message: 'w' });
  service.end();
  expect(rules()).toEqual([]);
});

test('few of the requests that the journal has dropped are kept, even of open ones (B364)', async () => {
  const { pays, answered, journal, service, rules } = setup('eager', { entries: 1_000 });
  pays(); // this request gets no answer
  for (let count = 1; count <= 2_000; count++) {
    answered(pays(), 200);
    if (count % 100 === 0) await turn();
  }
  const gone = [...service.blamed].filter(({ received }) => received.seq <= journal.droppedUpTo);
  expect(gone.length).toBeGreaterThanOrEqual(200);
  expect(gone.length).toBeLessThan(200 + 100);
  expect(rules()).toEqual([`missing-key ${500 + gone.length}`]);
});
