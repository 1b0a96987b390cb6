import { expect, test } from 'vitest';
import type { JournalEntry } from '../../shared/journal.ts';
import { parseSchedule } from '../plan/planned.ts';
import { anExploration, explored } from './exploration.fixture.ts';
import { findingsOf } from './failures.ts';
import { patienceLines } from './text.ts';

test('the report says how long the point of sale waits, also if it never gave up', () => {
  const entries = [{ kind: 'fault.injected', data: { fault: 'holdAnswer' } } as unknown as JournalEntry];
  const held = (hungUpAfterMs: number | undefined) =>
    explored('holdAnswer@payment-request.1', {}, { entries, hungUpAfterMs });
  expect(patienceLines([held(30_012)])).toEqual(['your point of sale gives a request up after 30.0 s']);
  expect(patienceLines([held(undefined)])).toEqual([
    'your point of sale waits longer than 200 s for an answer',
  ]);
  expect(patienceLines([])).toEqual([]);
});

test('what an option that was not given would try is counted, with that option', () => {
  const why = new Map([
    ['POS crash', 'no --restart'],
    ['shopper', 'no --shopper'],
  ]);
  const schedules = [
    parseSchedule('killAfter@payment-request.1'),
    parseSchedule('killBefore@payment-request.1'),
  ];
  const all = [explored('dropAnswer@payment-request.1')];
  expect(findingsOf(anExploration(all, { notAsked: { why, schedules } })).covered).toEqual([
    { group: 'POS link', tried: 1, of: 1, why: undefined },
    { group: 'POS crash', tried: 0, of: 2, why: 'no --restart' },
  ]);
});
