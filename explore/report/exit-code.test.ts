import { expect, test } from 'vitest';
import { exitCodeOf } from './exit-code.ts';
import { makeExploration, makeExploredSchedule, makeRunRecord } from './exploration.fixture.ts';
import { groupExplorationFindings } from './failures.ts';

const failed = makeExploredSchedule('silent@host.1', { is: 'hangs', says: 'Your command did not end' });
const survived = makeExploredSchedule('silent@host.1');

test.each([
  ['stopped after a failure', makeExploration([failed], { stopped: true }), 1],
  ['out of time after a failure', makeExploration([failed], { left: ['dropAnswer@payment-request.1'] }), 1],
  ['stopped without a failure', makeExploration([survived], { stopped: true }), 4],
  [
    'out of time without a failure',
    makeExploration([survived], { left: ['dropAnswer@payment-request.1'] }),
    4,
  ],
  [
    'a plain run that fails, nothing explored',
    makeExploration([], { plain: makeRunRecord({ ended: { code: 7, signal: undefined, timedOut: false } }) }),
    3,
  ],
  ['nothing explored, only listed', makeExploration([]), 0],
])('%s', (_, exploration, code) => {
  expect(exitCodeOf(exploration, groupExplorationFindings(exploration))).toBe(code);
});
