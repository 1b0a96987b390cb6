import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { formatExplorationJunitXml, groupExplorationFindings } from '../../explore/index.ts';
import {
  makeCommandRequest,
  makeExploration,
  makeExploredSchedule,
} from '../../explore/report/exploration.fixture.ts';
import { testWith } from '../optional-programs.ts';

/** Validates the output of `pinpad explore --junit` against the schema that CI servers use (B305). */

const test = testWith('xmllint');
const folder = mkdtempSync(join(tmpdir(), 'pinpad-explore-junit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns what the validator reports about a report, or an empty text. */
function complaints(xml: string): string {
  const file = join(folder, 'report.xml');
  writeFileSync(file, xml);
  const schema = join(import.meta.dirname, '../scenarios/junit.xsd');
  try {
    execFileSync('xmllint', ['--noout', '--nonet', '--schema', schema, file], { stdio: 'pipe' });
    return '';
  } catch (error) {
    return String((error as { stderr: Buffer }).stderr);
  }
}

const unpaid = {
  is: 'paidBelievedUnpaid',
  says: 'The customer paid 12.5 & believes "not paid" <\u0007>',
} as const;
const known = 'failAnswer-500@payment-request.1';
const all = makeExploration(
  [
    makeExploredSchedule('failAnswer-503@payment-request.1', unpaid, {
      requests: [makeCommandRequest('503')],
      output: ['Traceback <module> \u001b[31m]]>'],
    }),
    makeExploredSchedule(known, unpaid),
    makeExploredSchedule(
      'dropAnswer@payment-request.1',
      {},
      { requests: [makeCommandRequest('503'), makeCommandRequest('200')] },
    ),
    makeExploredSchedule('powerOff@pin.1', unpaid, { unstable: true }),
    makeExploredSchedule('decline@host.1', {
      is: 'testFails',
      says: 'Your test fails, but the money is right',
    }),
  ],
  { left: ['silent@host.1'] },
);
const junit = (exploration = all) =>
  formatExplorationJunitXml(exploration, groupExplorationFindings(exploration, new Set([known])), {
    again: (schedule) => `pinpad explore --only ${schedule} -- python3 'a "till".py'`,
    at: Date.UTC(2026, 0, 1),
  });

describe('the JUnit report of an exploration', () => {
  test('with every kind of run can be read by CI servers', () => {
    const xml = junit();
    expect(complaints(xml)).toBe('');
    expect(xml).toContain(
      '<testsuites name="pinpad explore" tests="6" failures="1" errors="0" time="1.234">',
    );
    expect(xml).toContain('<testsuite name="POS link" tests="3" failures="1" errors="0" skipped="1"');
    expect(xml).toContain('<testsuite name="host" tests="2" failures="0" errors="0" skipped="1"');
    expect(xml).toMatch(/<failure type="paidBelievedUnpaid" message="The customer paid 12.5 &amp; believes/);
    expect(xml).toContain('cause: after the 503 to payment-request your program never asked again');
    expect(xml).toContain('<skipped message="known: The customer paid');
    expect(xml).toContain('<skipped message="unstable: The customer paid');
    expect(xml).toContain('<skipped message="not run: the exploration stopped before this run"/>');
    expect(xml).toContain('<system-out>Your test fails, but the money is right</system-out>');
  });

  test('without any run can be read, too', () => {
    expect(complaints(junit(makeExploration([])))).toBe('');
  });

  test('in another form is refused', () => {
    expect(complaints(junit().replace('tests="3"', ''))).toMatch(/attribute 'tests' is required/);
  });
});
