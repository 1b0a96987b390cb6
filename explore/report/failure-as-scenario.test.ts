import { expect, test } from 'vitest';
import { anExploration, aRun, explored } from './exploration.fixture.ts';
import { failureAsScenario } from './failure-as-scenario.ts';

test('a failure that no expectation of a scenario can show is not recorded, and the reason is given (B307)', () => {
  const hangs = explored(
    'dropAnswer@payment-request.1',
    { is: 'hangs', says: 'Your command did not end' },
    { ended: { code: undefined, signal: 'SIGKILL', timedOut: true } },
  );
  expect(failureAsScenario(hangs, anExploration([hangs], { plain: aRun() }), (schedule) => schedule)).toEqual(
    {
      name: 'dropAnswer@payment-request.1',
      why: 'no expectation of a scenario shows this failure (hangs): Your command did not end',
    },
  );
});
