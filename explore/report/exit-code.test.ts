import { expect, test } from 'vitest';
import { exitCodeOf } from './exit-code.ts';
import { anExploration, aRun, explored } from './exploration.fixture.ts';
import { findingsOf } from './failures.ts';

const failed = explored('silent@host.1', { is: 'hangs', says: 'Your command did not end' });
const survived = explored('silent@host.1');

test.each([
  ['stopped after a failure', anExploration([failed], { stopped: true }), 1],
  ['out of time after a failure', anExploration([failed], { left: ['dropAnswer@payment-request.1'] }), 1],
  ['stopped without a failure', anExploration([survived], { stopped: true }), 4],
  ['out of time without a failure', anExploration([survived], { left: ['dropAnswer@payment-request.1'] }), 4],
  [
    'a plain run that fails, nothing explored',
    anExploration([], { plain: aRun({ ended: { code: 7, signal: undefined, timedOut: false } }) }),
    3,
  ],
  ['nothing explored, only listed', anExploration([]), 0],
])('%s', (_, exploration, code) => {
  expect(exitCodeOf(exploration, findingsOf(exploration))).toBe(code);
});
