import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import {
  findScenarios,
  junitXml,
  lintWithSales,
  type RunSummary,
  runScenario,
} from '../../scenarios/index.ts';
import { testWith } from '../optional-programs.ts';

/** Validates the JUnit report against the schema that CI servers use. */

const test = testWith('xmllint');
const folder = mkdtempSync(join(tmpdir(), 'pinpad-junit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const schema = join(import.meta.dirname, 'junit.xsd');

/** Returns what the validator reports about a report, or an empty text. */
function complaints(xml: string): string {
  const file = join(folder, 'report.xml');
  writeFileSync(file, xml);
  try {
    execFileSync('xmllint', ['--noout', '--nonet', '--schema', schema, file], { stdio: 'pipe' });
    return '';
  } catch (error) {
    return String((error as { stderr: Buffer }).stderr);
  }
}

async function summary(): Promise<RunSummary> {
  const scenarios: Record<string, string> = {
    'good.yaml':
      'name: "Good & <1> ]]> \\" \\u0007 \\U0001F4B3"\nsteps: [{ pay: 10 }, { tap: phone }, { expect: success }]\n',
    'bad.yaml': 'name: Bad\nsteps: [{ pay: 10, key: k }, cancel, { expect: success }]\n',
  };
  for (const [name, text] of Object.entries(scenarios)) writeFileSync(join(folder, name), text);
  const ran = await Promise.all(findScenarios([folder]).map((scenario) => runScenario(scenario)));
  const passed = ran.find(({ verdict }) => verdict === 'passed');
  if (!passed) throw new Error('no scenario passed');
  const skipped = {
    ...passed,
    findings: [],
    verdict: 'skipped',
    reason: 'needs virtual time, because 60 s pass',
  } as const;
  return {
    results: [...ran, skipped],
    notRun: 1,
    tookMs: 1_234_567,
    pointOfSale: lintWithSales(passed.journal),
  };
}

describe('the JUnit report', () => {
  test('of scenarios that pass, fail, are skipped and have findings can be read by CI servers', async () => {
    const all = await summary();
    expect(all.results.map(({ verdict }) => verdict)).toEqual(['failed', 'passed', 'skipped']);
    const xml = junitXml(all, Date.UTC(2026, 0, 1));
    expect(complaints(xml)).toBe('');
    expect(xml).toContain('<system-out>missing-key');
    expect(xml).toContain('<testsuite name="point of sale"');
  });

  test('without any scenario can be read, too', () => {
    expect(complaints(junitXml({ results: [], notRun: 0, tookMs: 0 }, 0))).toBe('');
  });

  test('in another form is refused', async () => {
    const xml = junitXml(await summary(), 0);
    expect(complaints(xml.replace('tests="3"', ''))).toMatch(/attribute 'tests' is required/);
    expect(complaints(xml.replace('<failure', '<complaint').replace('</failure', '</complaint'))).toMatch(
      /complaint/,
    );
  });
});
