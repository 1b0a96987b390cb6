import { expect, test } from 'vitest';
import type { JournalEntry } from '../../shared/journal.ts';
import { explored } from './exploration.fixture.ts';
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
