import { expect, test } from 'vitest';
import { makeExploration, makeExploredSchedule, makeRunRecord } from './exploration.fixture.ts';
import { recordFailureAsScenario } from './failure-as-scenario.ts';

test('a failure that no expectation of a scenario can show is not recorded, and the reason is given (B307)', () => {
  const hangs = makeExploredSchedule(
    'dropAnswer@payment-request.1',
    { is: 'hangs', says: 'Your command did not end' },
    { ended: { code: undefined, signal: 'SIGKILL', timedOut: true } },
  );
  expect(
    recordFailureAsScenario(
      hangs,
      makeExploration([hangs], { plain: makeRunRecord() }),
      (schedule) => schedule,
    ),
  ).toEqual({
    name: 'dropAnswer@payment-request.1',
    why: 'a scenario has no expectation that detects this failure (hangs): Your command did not end',
  });
});

test('failures with many faults get different names, so the file of one never replaces that of another', () => {
  const nameOf = (last: string) => {
    const schedule = [1, 2, 3, 4].map((nth) => `failAnswer-503@payment-request.${nth}`).join('+');
    const failure = makeExploredSchedule(`${schedule}+${last}`, { is: 'hangs' });
    return recordFailureAsScenario(failure, makeExploration([failure]), (text) => text).name;
  };
  const names = ['dropAnswer@status.1', 'dropAnswer@status.2', 'dropAnswer@status.1'].map(nameOf);
  expect(new Set(names).size).toBe(2);
  expect(names[0]).toBe(names[2]);
  for (const name of names) expect(name.length).toBeLessThanOrEqual(120);
});
