import { expect, test } from 'vitest';
import { describeSchedule, faultsAt } from './catalogue.ts';
import { untriedOccurrenceLines } from './passed-moment-faults.ts';
import { requestPointName, requestPoints } from './request-points.ts';
import { durationMsInFaultName, kindInFaultName, parseSchedule } from './schedule.ts';

test('faults of host and shopper are tried the first time that a moment comes, and all others each time', () => {
  expect(faultsAt('host', 1).map(({ fault }) => fault)).toContain('decline');
  expect(faultsAt('host', 2)).toEqual([]);
  expect(faultsAt('presentCard', 1).map(({ fault }) => fault)).toContain('leaves');
  expect(faultsAt('presentCard', 2).map(({ fault }) => fault)).not.toContain('leaves');
  expect(faultsAt('presentCard', 2).map(({ fault }) => fault)).toContain('powerOff');
});

test('each request of the payments API has a name, and status calls can also fail and end with their sender', () => {
  expect(requestPointName('GET', '/terminals')).toBe('terminals');
  expect(requestPointName('GET', '/debit/d1/refunds')).toBe('refund-list');
  expect(requestPointName('POST', '/debit/d1/refunds')).toBe('refund');
  expect(requestPointName('POST', '/control/webhooks')).toBeUndefined();
  const faults = faultsAt('terminals', 1).map(({ fault }) => fault);
  expect(faults).toEqual(expect.arrayContaining(['dropAnswer', 'killBefore', 'killAfter']));
  expect(faults).not.toContain('duplicateRequest');
});

test('a request that has an effect each time is not doubled (B322)', () => {
  for (const moment of ['charge', 'preauthorize', 'refund'])
    expect(faultsAt(moment, 1).map(({ fault }) => fault)).not.toContain('duplicateRequest');
  for (const moment of ['payment-request', 'capture', 'abort'])
    expect(faultsAt(moment, 1).map(({ fault }) => fault)).toContain('duplicateRequest');
});

test('the shorter of several durations of a fault is tried first, and an endless one last', () => {
  for (const moment of [...Object.keys(requestPoints), 'host', 'presentCard', 'before.begun']) {
    const longest = new Map<string, number>();
    for (const { fault } of faultsAt(moment, 1)) {
      const ms = fault.endsWith('-never') ? Number.POSITIVE_INFINITY : (durationMsInFaultName(fault) ?? 0);
      expect(ms, `${fault}@${moment}`).toBeGreaterThanOrEqual(longest.get(kindInFaultName(fault)) ?? 0);
      longest.set(kindInFaultName(fault), ms);
    }
  }
});

test('the report lists moments that came more often than they were tried (B386)', () => {
  const passed = (counts: Record<string, number>) => new Map(Object.entries(counts));
  expect(untriedOccurrenceLines([passed({ status: 3, host: 1, presentCard: 1, screens: 1 })])).toEqual([]);
  expect(
    untriedOccurrenceLines([passed({ status: 2, host: 1 }), passed({ status: 7, host: 2, pin: 2 })]),
  ).toEqual([
    'these moments occurred often, and faults were tried only at the first 3 occurrences of each moment: status came 7 times',
    "each host fault was tried only at the host's first answer. Each shopper fault was tried in one run. In this run, the fault happened every time that its moment occurred. Moments that occurred more than once: host came 2 times, pin came 2 times",
  ]);
});

test('power that is cut at a moment returns, and power that is off from the start does not', () => {
  const told = (text: string) => describeSchedule(parseSchedule(text));
  expect(told('powerOff@pin.1')).toBe('the terminal loses power for 20 s at pin #1');
  expect(told('powerOff@start.1')).toBe('the terminal is off from the start');
});
