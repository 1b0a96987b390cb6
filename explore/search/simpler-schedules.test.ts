import { expect, test } from 'vitest';
import { parseSchedule, scheduleText } from '../plan/schedule.ts';
import { makeSimplerSchedules } from './simpler-schedules.ts';

const simpler = (text: string) => makeSimplerSchedules(parseSchedule(text)).map(scheduleText);

test('a pair is simplified to each of its faults, to earlier moments and to shorter times', () => {
  expect(simpler('dropAnswer@payment-request.1+late-31s@host.1')).toEqual([
    'late-31s@host.1',
    'dropAnswer@payment-request.1',
    'dropAnswer@payment-request.1+late-16s@host.1',
  ]);
  expect(simpler('dropRequest@status.1+dropAnswer@payment-request.2')).toContain(
    'dropRequest@status.1+dropAnswer@payment-request.1',
  );
});

test('a pair is not simplified to two faults of one request, of which only one can happen', () => {
  expect(simpler('dropAnswer@payment-request.1+failAnswer-503@payment-request.2')).toEqual([
    'failAnswer-503@payment-request.2',
    'dropAnswer@payment-request.1',
  ]);
});
