import { describe, expect, test } from 'vitest';
import { aRequest, aRun } from '../report/exploration.fixture.ts';
import type { RunRecord, ToldRequest } from '../run/run-record.ts';
import { causeOf } from './cause.ts';

const status = (told: string): ToldRequest => ({
  ...{ point: 'status', nth: 1, method: 'GET', path: '/payment-requests/status', key: 1 },
  ...{ told, connection: 1, beside: false },
});
const found: RunRecord['found'] = [
  {
    rule: 'unknown-outcome',
    what: 'It never asked for key 6f9c73c9-0867-4c3d-8c0e-6121d74dac72',
    severity: 'error',
  },
];
const judged = (requests: ToldRequest[], more: Partial<RunRecord> = {}) => ({
  schedule: [],
  run: aRun({ requests, ...more }),
});

describe('the cause of a failure', () => {
  test('is what it did otherwise than a run that was told the same', () => {
    const { lines } = causeOf(judged([aRequest('503')], { found }), [
      judged([aRequest('200')]),
      judged([aRequest('503'), status('200')]),
    ]);
    expect(lines).toEqual([
      'after the 503 to payment-request it never asked again (lint unknown-outcome)',
      'the nearest run that survived sent GET /payment-requests/status (the key of request 1) here',
    ]);
  });

  test('is what it did once it was told otherwise, if no run was told the same', () => {
    const { lines } = causeOf(judged([aRequest('503')], { found }), [judged([aRequest('200')])]);
    expect(lines).toEqual([
      'after the 503 to payment-request it never asked again (lint unknown-outcome)',
      'the nearest run that survived was told 200 there',
    ]);
  });

  test('is the rule of lint alone, if a run that survived did the same', () => {
    const same = [aRequest('lost'), aRequest('200')];
    const { lines } = causeOf(judged(same, { found }), [judged(same)]);
    expect(lines).toEqual([
      'It never asked for key … (lint unknown-outcome)',
      'a run that did the same was lucky',
    ]);
  });

  test('is the same for two that did the same, whether or not a run that did so was lucky', () => {
    const survived = [judged([aRequest('200')]), judged([aRequest('503')])];
    const [one, other] = ['503', '500'].map((told) => causeOf(judged([aRequest(told)], { found }), survived));
    expect(one?.lines).not.toEqual(other?.lines);
    expect(one?.key).toBe(other?.key);
  });
});
