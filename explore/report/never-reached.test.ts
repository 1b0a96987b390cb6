import { expect, test } from 'vitest';
import { plainPaint } from '../../scenarios/index.ts';
import {
  makeCommandRequest,
  makeExploration,
  makeExploredSchedule,
  makeRunRecord,
} from './exploration.fixture.ts';
import { groupExplorationFindings } from './failures.ts';
import { makeExplorationJsonReport } from './json-report.ts';
import { findUnreachedSituations } from './never-reached.ts';
import { renderExplorationPage } from './page.ts';
import { reportText } from './text.ts';

const moments = ['screens', 'tip', 'applicationChoice', 'keyedNumber', 'pin', 'pinWrong'];
const passed = new Map(moments.map((moment) => [moment, 1]));
const entriesOf = (...kinds: string[]) => kinds.map((kind, seq) => ({ seq, at: 0, kind, data: {} }) as never);
const sale = makeRunRecord({ passed, entries: entriesOf('ledger.declined', 'payment.abortRequested') });

test('every report lists the faults that no run reached (B331)', async () => {
  const reversed = makeExploredSchedule('silent@host.1', {}, { entries: entriesOf('ledger.reversed') });
  const asked = makeExploredSchedule('slow@screens.1', {}, { requests: [makeCommandRequest('202')] });
  const exploration = makeExploration([reversed, asked], { plain: sale });
  const findings = groupExplorationFindings(exploration);
  expect(findings.neverReached).toEqual(['303', 'a second attempt to read the card']);
  const again = () => '';
  const line = 'never reached: 303; a second attempt to read the card';
  const text = await reportText(exploration, findings, { paint: plainPaint, again, trace: async () => '' });
  expect(text).toContain(`\n${line}\n`);
  expect(makeExplorationJsonReport(exploration, findings)).toMatchObject({
    neverReached: findings.neverReached,
  });
  expect(renderExplorationPage({ exploration, findings, again, trace: () => undefined })).toContain(line);
});

test('a moment that a run reached under a fault counts as reached (B331)', () => {
  const late = makeExploredSchedule('slow@screens.1', {}, { requests: [makeCommandRequest('303')] });
  const again = makeExploredSchedule(
    'pullsCard@readingCard.1',
    {},
    { passed: new Map([['insertInstead', 1]]) },
  );
  const { neverReached } = groupExplorationFindings(makeExploration([late, again], { plain: sale }));
  expect(neverReached).toEqual(['202', 'a payment that the host reversed']);
});

test('the report lists nothing unreached for a sale without a terminal (B331)', async () => {
  const exploration = makeExploration([makeExploredSchedule('dropAnswer@charge.1')]);
  const text = await reportText(exploration, groupExplorationFindings(exploration), {
    ...{ paint: plainPaint, again: () => '', trace: async () => '' },
  });
  expect(text).not.toContain('never reached');
});

test('the report lists nothing unreached if only a few faults were requested', () => {
  const part = makeExploration([], {
    plain: makeRunRecord({ passed: new Map([['screens', 1]]) }),
    isPart: true,
  });
  expect(findUnreachedSituations(part)).toEqual([]);
  expect(findUnreachedSituations({ ...part, isPart: false })).not.toEqual([]);
});
