import { expect, test } from 'vitest';
import { checkCombinable, isCombinable, scheduleForArming } from './combining.ts';
import { posLinkFaultBody } from './pos-link-faults.ts';
import { parseSchedule } from './schedule.ts';
import { occurrenceFields } from './terminal-faults.ts';

test('a request that one fault uses is not counted for the next fault (B321)', () => {
  const set = scheduleForArming(parseSchedule('dropAnswer@payment-request.2+dropRequest@payment-request.1'));
  expect(set.map(posLinkFaultBody)).toMatchObject([
    { fault: 'dropRequest', after: 0, times: 1 },
    { fault: 'dropAnswer', after: 0, times: 1 },
  ]);
  const apart = scheduleForArming(parseSchedule('dropAnswer@payment-request.1+dropRequest@status.2'));
  expect(apart.map(posLinkFaultBody)).toMatchObject([{ after: 0 }, { after: 1 }]);
});

test('the same fault twice at one moment is set once, for two times (B321)', () => {
  const set = scheduleForArming(parseSchedule('crash@before.accepted.1+crash@before.accepted.2'));
  expect(set.map(occurrenceFields)).toEqual([{ after: 0, times: 2 }]);
});

test.each([
  'dropAnswer@payment-request.1+failAnswer-503@payment-request.1',
  'dropAnswer@payment-request.all+killAfter@payment-request.2',
  'powerOff@pin.1+networkOff@pin.2',
  'powerOff@pin.1+powerOff@pin.3',
  'decline@host.1+silent@host.1',
  'leaves@pin.1+slow@screens.1',
])('the pair of %s cannot be set (B321)', (text) => {
  expect(isCombinable(parseSchedule(text))).toBe(false);
  expect(() => checkCombinable(parseSchedule(text))).toThrow(
    'these faults cannot be combined, because one replaces the other',
  );
});

test.each([
  'powerOff@pin.1+networkOff@authorizing.1',
  'slow@screens.1+silent@host.1',
  'killBefore@payment-request.1+dropAnswer@payment-request.2',
])('the pair of %s can be set (B321)', (text) => {
  expect(() => checkCombinable(parseSchedule(text))).not.toThrow();
});
