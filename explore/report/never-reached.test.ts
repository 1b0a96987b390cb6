import { expect, test } from 'vitest';
import { plainPaint } from '../../scenarios/index.ts';
import { anExploration, aRequest, aRun, explored } from './exploration.fixture.ts';
import { findingsOf } from './failures.ts';
import { reportJson } from './json-report.ts';
import { neverReached } from './never-reached.ts';
import { explorePage } from './page.ts';
import { reportText } from './text.ts';

const moments = ['screens', 'tip', 'applicationChoice', 'keyedNumber', 'pin', 'pinWrong'];
const passed = new Map(moments.map((moment) => [moment, 1]));
const entriesOf = (...kinds: string[]) => kinds.map((kind, seq) => ({ seq, at: 0, kind, data: {} }) as never);
const sale = aRun({ passed, entries: entriesOf('ledger.declined', 'payment.abortRequested') });

test('every report lists the faults that no run reached (B331)', async () => {
  const reversed = explored('silent@host.1', {}, { entries: entriesOf('ledger.reversed') });
  const asked = explored('slow@screens.1', {}, { requests: [aRequest('202')] });
  const exploration = anExploration([reversed, asked], { plain: sale });
  const findings = findingsOf(exploration);
  expect(findings.neverReached).toEqual(['303', 'a second try of the card']);
  const again = () => '';
  const line = 'never reached: 303; a second try of the card';
  const text = await reportText(exploration, findings, { paint: plainPaint, again, trace: async () => '' });
  expect(text).toContain(`\n${line}\n`);
  expect(reportJson(exploration, findings)).toMatchObject({ neverReached: findings.neverReached });
  expect(explorePage({ exploration, findings, again, trace: () => undefined })).toContain(line);
});

test('a moment that a run reached under a fault counts as reached (B331)', () => {
  const late = explored('slow@screens.1', {}, { requests: [aRequest('303')] });
  const again = explored('pullsCard@readingCard.1', {}, { passed: new Map([['insertInstead', 1]]) });
  const { neverReached } = findingsOf(anExploration([late, again], { plain: sale }));
  expect(neverReached).toEqual(['202', 'a payment that the host took back']);
});

test('the report lists nothing unreached for a sale without a terminal (B331)', async () => {
  const exploration = anExploration([explored('dropAnswer@charge.1')]);
  const text = await reportText(exploration, findingsOf(exploration), {
    ...{ paint: plainPaint, again: () => '', trace: async () => '' },
  });
  expect(text).not.toContain('never reached');
});

test('the report lists nothing unreached if only a few faults were requested', () => {
  const part = anExploration([], { plain: aRun({ passed: new Map([['screens', 1]]) }), isPart: true });
  expect(neverReached(part)).toEqual([]);
  expect(neverReached({ ...part, isPart: false })).not.toEqual([]);
});
