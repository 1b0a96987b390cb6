import { expect, test } from 'vitest';
import type { JournalEntry } from '../../shared/journal.ts';
import { parseSchedule } from '../plan/schedule.ts';
import {
  makeCommandRequest,
  makeExploration,
  makeExploredSchedule,
  makeRunRecord,
} from './exploration.fixture.ts';
import { groupExplorationFindings } from './failures.ts';
import { hangUpTimeLines, isCardMissing, plainRunLine, reportText } from './text.ts';

test('the report says how long the point of sale waits, even if it never gave up', () => {
  const entries = [{ kind: 'fault.injected', data: { fault: 'holdAnswer' } } as unknown as JournalEntry];
  const held = (hungUpAfterMs: number | undefined) =>
    makeExploredSchedule('holdAnswer@payment-request.1', {}, { entries, hungUpAfterMs });
  expect(hangUpTimeLines([held(30_012)])).toEqual([
    'your point of sale hangs up after 30.0 s without an answer',
  ]);
  expect(hangUpTimeLines([held(undefined)])).toEqual([
    'your point of sale waits longer than 200 s for an answer',
  ]);
  expect(hangUpTimeLines([])).toEqual([]);
});

test('faults that an option would add are counted, with that option', () => {
  const why = new Map([
    ['POS crash', 'no --restart'],
    ['shopper', 'no --shopper'],
  ]);
  const schedules = [
    parseSchedule('killAfter@payment-request.1'),
    parseSchedule('killBefore@payment-request.1'),
  ];
  const all = [makeExploredSchedule('dropAnswer@payment-request.1')];
  expect(groupExplorationFindings(makeExploration(all, { notAsked: { why, schedules } })).covered).toEqual([
    { group: 'POS link', tried: 1, of: 1, why: undefined },
    { group: 'POS crash', tried: 0, of: 2, why: 'no --restart' },
  ]);
});

const plain = { good: String, bad: String, faint: String };
const unpaid = { is: 'paidBelievedUnpaid', says: 'The customer paid' } as const;
const found = [
  { rule: 'unknown-outcome', what: 'It never asked', severity: 'error' as const, fix: 'ask again' },
];

test('the report describes each cause, its correction, and the number of all runs (B387)', async () => {
  const requests = [makeCommandRequest('503')];
  const exploration = makeExploration(
    [makeExploredSchedule('failAnswer-503@payment-request.1', unpaid, { requests, found })],
    {
      replays: 3,
    },
  );
  const text = await reportText(exploration, groupExplorationFindings(exploration), {
    paint: plain,
    again: (only) => `again ${only}`,
    trace: async ({ verdict }) => `traces/${verdict.is}.html`,
  });
  expect(text.split('\n').slice(0, 9)).toEqual([
    '✗ 1 failure of 1 cause    ✓ 0 survived',
    '✗ The customer paid',
    expect.stringMatching(/^ {4}when {3}/),
    '    cause  It never asked (lint unknown-outcome)',
    '           after the 503 to payment-request your program never asked again',
    expect.stringMatching(/^ {11}the most similar run without a failure/),
    '    mend   ask again',
    '    trace  traces/paidBelievedUnpaid.html',
    '    again  again failAnswer-503@payment-request.1',
  ]);
  expect(text).toContain('\nruns     6: 2 without faults, 1 with faults, and 3 to repeat failures\n');
});

test('the report names the runs whose test fails though the money is right, five at most', async () => {
  const named = async (count: number) => {
    const all = Array.from({ length: count }, (_, index) =>
      makeExploredSchedule(`silent@host.${index + 1}`, { is: 'testFails', says: 'Your test fails' }),
    );
    const exploration = makeExploration(all);
    const options = { paint: plain, again: String, trace: async () => '' };
    const text = await reportText(exploration, groupExplorationFindings(exploration), options);
    return /^your test fails, but the money is right, with .*/m.exec(text)?.[0];
  };
  expect(await named(1)).toMatch(/ with silent@host\.1$/);
  expect(await named(7)).toMatch(/ with silent@host\.1, .*, silent@host\.5, and 2 more$/);
});

test('the report uses the singular for one fault', () => {
  expect(plainRunLine(makeRunRecord(), 1)).toContain(' 1 fault applies; ');
  expect(plainRunLine(makeRunRecord(), 2)).toContain(' 2 faults apply; ');
});

test('a terminal that asked for a card shows that nobody presented one (B394)', () => {
  const passed = new Map([['presentCard', 1]]);
  const presented = [{ kind: 'terminal.card', data: { action: 'tapped' } }] as unknown as JournalEntry[];
  expect(isCardMissing(makeRunRecord({ passed }))).toBe(true);
  expect(isCardMissing(makeRunRecord({ passed, entries: presented }))).toBe(false);
  expect(isCardMissing(makeRunRecord())).toBe(false);
});
