import { describe, expect, test } from 'vitest';
import { parseSchedule } from '../plan/schedule.ts';
import { makeCommandRequest, makeRunRecord } from '../report/exploration.fixture.ts';
import type { CommandRequest, RunRecord } from '../run/run-record.ts';
import { adviceFor } from './advice.ts';
import { findRunFailureCause } from './cause.ts';
import { failureKinds } from './verdict.ts';

const status = (told: string): CommandRequest => ({
  ...{ point: 'status', nth: 1, method: 'GET', path: '/payment-requests/status', key: 1 },
  ...{ told, connection: 1, beside: false },
});
const found: RunRecord['found'] = [
  {
    rule: 'unknown-outcome',
    what: 'It never asked for key 6f9c73c9-0867-4c3d-8c0e-6121d74dac72',
    severity: 'error',
    fix: 'ask for the status until it answers 200',
  },
];
const unpaid = { is: 'paidBelievedUnpaid', says: 'The customer paid' } as const;
const judged = (requests: CommandRequest[], more: Partial<RunRecord> = {}) => ({
  schedule: [],
  run: makeRunRecord({ requests, ...more }),
  verdict: unpaid,
});

describe('the cause of a failure', () => {
  test('is what the POS did differently from a run with the same answers', () => {
    const { lines } = findRunFailureCause(judged([makeCommandRequest('503')], { found }), [
      judged([makeCommandRequest('200')]),
      judged([makeCommandRequest('503'), status('200')]),
    ]);
    expect(lines).toEqual([
      'It never asked for key … (lint unknown-outcome)',
      'after the 503 to payment-request your program never asked again',
      'the most similar run without a failure sent GET /payment-requests/status (the key of request 1) here',
    ]);
  });

  test('is what the POS did after a different answer, if no run got the same answers', () => {
    const { lines } = findRunFailureCause(judged([makeCommandRequest('503')], { found }), [
      judged([makeCommandRequest('200')]),
    ]);
    expect(lines).toEqual([
      'It never asked for key … (lint unknown-outcome)',
      'after the 503 to payment-request your program never asked again',
      'the most similar run without a failure was told 200 there',
    ]);
  });

  test('is only the rule of lint, if a run that survived behaved the same', () => {
    const same = [makeCommandRequest('lost'), makeCommandRequest('200')];
    const { lines } = findRunFailureCause(judged(same, { found }), [judged(same)]);
    expect(lines).toEqual([
      'It never asked for key … (lint unknown-outcome)',
      'the same requests did no harm without faults, by luck',
    ]);
  });

  test('is the same if a run that survived behaved the same, and names that run (B387)', () => {
    const plain = judged([makeCommandRequest('200')]);
    const alone = findRunFailureCause(judged([makeCommandRequest('503')], { found }), [plain]);
    const lucky = {
      ...judged([makeCommandRequest('503')]),
      schedule: parseSchedule('failRequest-503@payment-request.1'),
    };
    const beside = findRunFailureCause(judged([makeCommandRequest('503')], { found }), [plain, lucky]);
    expect(beside.lines).toEqual([
      ...alone.lines,
      'the same requests did no harm with failRequest-503@payment-request.1, by luck',
    ]);
  });

  test.each([
    ['lost', 'lost its connection there'],
    ['hung up', 'hung up there'],
    ['cut off', 'got half an answer there'],
    ['none', 'got no answer there'],
  ])('of a run that was %s says what became of the run', (told, said) => {
    const { lines } = findRunFailureCause(judged([makeCommandRequest('503')]), [
      judged([makeCommandRequest(told)]),
    ]);
    expect(lines[1]).toBe(`the most similar run without a failure ${said}`);
  });

  test('has the same words and order for all that broke a rule (B387)', () => {
    const survived = [judged([makeCommandRequest('200')]), judged([makeCommandRequest('503')])];
    const causes = [
      [makeCommandRequest('503')],
      [makeCommandRequest('500')],
      [makeCommandRequest('lost'), status('202')],
    ].map((requests) => findRunFailureCause(judged(requests, { found }), survived));
    for (const { lines, mend } of causes) {
      expect(lines[0]).toBe('It never asked for key … (lint unknown-outcome)');
      expect(mend).toBe('ask for the status until it answers 200');
    }
    expect(new Set(causes.map(({ key }) => key)).size).toBe(1);
  });

  test('differs if only a warning was broken, because that may accompany anything', () => {
    const warned = [{ ...found[0]!, rule: 'short-timeout', severity: 'warning' as const }];
    const keys = [[makeCommandRequest('503')], [makeCommandRequest('503'), status('202')]].map(
      (requests) =>
        findRunFailureCause(judged(requests, { found: warned }), [judged([makeCommandRequest('200')])]).key,
    );
    expect(new Set(keys).size).toBe(2);
  });

  test('has advice from the result of the money if no rule gives any (B387)', () => {
    const { mend } = findRunFailureCause(judged([makeCommandRequest('503')]), []);
    expect(mend).toMatch(/^treat a sale as unpaid only if an answer says failure/);
    for (const is of failureKinds) expect(adviceFor({ is, says: '' })).toMatch(/^[a-z].{40}/);
  });

  test('names a redirect that was followed, and says not to follow any (B393)', () => {
    const followed = { ...status('202'), followed: true };
    const { lines, mend } = findRunFailureCause(judged([makeCommandRequest('303'), followed], { found }), [
      judged([makeCommandRequest('200')]),
    ]);
    expect(lines[1]).toBe(
      'after the 303 to payment-request your program followed the redirect to GET /payment-requests/status (the key of request 1)',
    );
    expect(mend).toMatch(/^turn off redirects in your HTTP client: .*; ask for the status/);
  });

  test('is the same for two runs with the same behaviour, whether or not such a run was lucky', () => {
    const survived = [judged([makeCommandRequest('200')]), judged([makeCommandRequest('503')])];
    const [one, other] = ['503', '500'].map((told) =>
      findRunFailureCause(judged([makeCommandRequest(told)], { found }), survived),
    );
    expect(one?.lines).not.toEqual(other?.lines);
    expect(one?.key).toBe(other?.key);
  });

  test('contains the request together with what the rule of lint says about it (B320)', () => {
    const again = { ...makeCommandRequest('200'), nth: 2 };
    const twice = {
      rule: 'blind-payment-retry',
      what: 'the customer paid twice',
      severity: 'error' as const,
      fix: 'send it again with the same key',
    };
    const { lines } = findRunFailureCause(judged([makeCommandRequest('lost'), again], { found: [twice] }), [
      judged([makeCommandRequest('200')]),
    ]);
    expect(lines).toEqual([
      'the customer paid twice (lint blind-payment-retry)',
      'after payment-request, which was lost, your program sent POST /terminals/…/payment-request (a new key)',
      'the most similar run without a failure was told 200 there',
    ]);
  });

  test('is the behaviour that followed, if lint has no rule for it (B320)', () => {
    const abort: CommandRequest = {
      ...status('204'),
      ...{ point: 'abort', method: 'POST', path: '/payment-requests/abort', key: 'none' },
    };
    const { lines } = findRunFailureCause(judged([makeCommandRequest('cut off'), status('200'), abort]), [
      judged([makeCommandRequest('200')]),
    ]);
    expect(lines.slice(0, 2)).toEqual([
      'after payment-request, whose answer was cut off, your program sent GET /payment-requests/status (the key of request 1)',
      'then POST /payment-requests/abort',
    ]);
  });

  test.for([
    [29_930, 'after 30 s'],
    [30_012, 'after 30 s'],
    [400, 'within a second'],
  ] as const)(
    'says in the same way in each run how long the POS waited before it hung up (B320, B334): %i',
    ([ms, waited]) => {
      const { lines } = findRunFailureCause(judged([makeCommandRequest('hung up')], { hungUpAfterMs: ms }), [
        judged([makeCommandRequest('200')]),
      ]);
      expect(lines[0]).toBe(
        `after payment-request, on which your program hung up ${waited}, your program never asked again`,
      );
    },
  );

  test('is the event that was accepted again, if the requests are the same (B320)', () => {
    const attempted = (seq: number) => ({
      ...{ seq, at: 0, kind: 'webhook.attempted' as const },
      data: {
        webhook: 'w',
        delivery: `d${seq}`,
        event: 'e',
        type: 'payments.debits.paid',
        attempt: 1,
        status: 204,
      },
    });
    const same = [makeCommandRequest('200')];
    const entries = [attempted(1), attempted(2)] as unknown as RunRecord['entries'];
    expect(findRunFailureCause(judged(same, { entries }), [judged(same)]).lines[0]).toBe(
      'your program acted 2 times on the event payments.debits.paid, although it was one event with one webhook-id',
    );
    expect(findRunFailureCause(judged(same), [judged(same)]).lines[0]).toBe(
      'your program got the same answers as in a run without a failure, and drew another conclusion',
    );
  });
});
