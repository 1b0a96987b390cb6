import { expect, test } from 'vitest';
import { CausesSoFar } from './causes-so-far.ts';
import { makeCommandRequest, makeExploredSchedule, makeRunRecord } from './exploration.fixture.ts';

const unpaid = { is: 'paidBelievedUnpaid', says: 'The customer paid' } as const;
const found = [{ rule: 'unknown-outcome', what: 'It never asked', severity: 'error' as const, fix: 'ask' }];

test('a cause is printed at its first failure, unless that is known, unstable or survived (B388)', () => {
  const causes = new CausesSoFar(makeRunRecord(), new Set(['failAnswer-500@payment-request.1']));
  const failing = { requests: [makeCommandRequest('503')], found };
  expect(causes.learn(makeExploredSchedule('silent@host.1'))).toBeUndefined();
  expect(
    causes.learn(makeExploredSchedule('failAnswer-500@payment-request.1', unpaid, failing)),
  ).toBeUndefined();
  expect(
    causes.learn(makeExploredSchedule('powerOff@pin.1', unpaid, { ...failing, unstable: true })),
  ).toBeUndefined();
  expect(
    causes.learn(makeExploredSchedule('failAnswer-503@payment-request.1', unpaid, failing)),
  ).toMatchObject({
    lines: [
      'It never asked (lint unknown-outcome)',
      expect.stringContaining('after the 503'),
      expect.any(String),
    ],
    mend: 'ask',
  });
  expect(causes.learn(makeExploredSchedule('dropAnswer@payment-request.1', unpaid, failing))).toBeUndefined();
  expect(
    causes.learn(makeExploredSchedule('dropAnswer@status.1', { is: 'leftUnknown', says: '' }, failing)),
  ).toBeDefined();
});
