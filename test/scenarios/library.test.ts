import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  findScenarios,
  plainPaint,
  runScenario,
  type Scenario,
  type ScenarioResult,
} from '../../scenarios/index.ts';
import { failureReportText } from '../../scenarios/report/text.ts';
import { scenarioSchemaFile } from '../../scripts/scenario-schema.ts';
import { isThoroughRun, sampleCases } from '../draws.ts';
import { seededLines } from '../seeded-lines.ts';
import { endsOf, runAndRecord, toRecordedRunOptions } from './recorded-run.ts';
import { watchedRunOptions } from './watched-run.ts';

/** All shipped scenarios pass, and all conform to the published schema. */

const scenarios = findScenarios([join(import.meta.dirname, '../../scenarios/library')]);
const outcomeText = (result: ScenarioResult) =>
  result.failure ? failureReportText(result, plainPaint) : 'passed';
/** Returns the journal without port numbers, which depend on the machine. */
const journalOf = ({ journal }: ScenarioResult) =>
  seededLines(journal).map((line) => line.replaceAll(/127\.0\.0\.1:\d+/g, 'GATEWAY'));

/** `npm test` runs one scenario in six. `pinpad run` runs all of them in a few seconds. */
const atDesk = sampleCases(scenarios, 6);

/**
 * These scenarios run a second time. Under `npm test`, one in six is enough to notice a difference between two runs.
 */
const twice = sampleCases(scenarios, 6);

/**
 * The scenarios that this test also records. They are from some folders only, and none of them restarts the gateway,
 * because a recorder outside the gateway cannot see the restart.
 */
const recorded = sampleCases(
  scenarios.filter(
    ({ file }) =>
      /library\/(links|outcomes\/inserted-card\.yaml|recovery|refunds|tips|webhooks)/.test(file) &&
      !file.endsWith('gateway-restarts.yaml'),
  ),
  6,
);

async function passes(scenario: Scenario, first: ScenarioResult, again = watchedRunOptions): Promise<void> {
  expect(outcomeText(first)).toBe('passed');
  if (!twice.includes(scenario)) return;
  expect(journalOf(await runScenario(scenario, again))).toEqual(journalOf(first));
}

const folder = mkdtempSync(join(tmpdir(), 'pinpad-recorded-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.concurrent('every shipped scenario passes, and gives the same journal, byte for byte, when it is watched', () => {
  for (const scenario of atDesk.filter((each) => !recorded.includes(each)))
    test(`${scenario.file}: ${scenario.name}`, async () => {
      await passes(scenario, await runScenario(scenario));
    });
});

describe.concurrent('every shipped scenario can be recorded, and its recording ends the same', () => {
  for (const [index, scenario] of recorded.entries())
    test(`${scenario.file}: ${scenario.name}`, async () => {
      const { result: first, recording } = await runAndRecord(scenario);
      await passes(scenario, first, toRecordedRunOptions(watchedRunOptions));
      const file = join(folder, `${index}.yaml`);
      writeFileSync(file, recording);
      const [again] = findScenarios([file]);
      if (!again) throw new Error('no scenario was recorded');
      const { failure, journal } = await runScenario(again, watchedRunOptions);
      expect(failure && `${failure.step}\n${failure.message}\n${recording}`).toBeUndefined();
      expect(endsOf(journal)).toEqual(endsOf(first.journal));
    });
});

test('all kinds of scenarios are recorded', () => {
  expect(recorded.length).toBeGreaterThan(isThoroughRun ? 70 : 11);
});

test('every shipped scenario fits the published JSON Schema', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
    JSON.parse(readFileSync(scenarioSchemaFile, 'utf8')),
  );
  const wrong = [...new Set(scenarios.map(({ file }) => file))].filter(
    (file) => !validate(parse(readFileSync(file, 'utf8'))),
  );
  expect(wrong).toEqual([]);
});

test('there are at least 60 scenarios, each in its own file and with its own name', () => {
  expect(new Set(scenarios.map(({ file }) => file)).size).toBeGreaterThanOrEqual(60);
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
});

test('every scenario has a description of what it shows', () => {
  expect(scenarios.filter(({ description }) => description.length < 20).map(({ file }) => file)).toEqual([]);
});

test('another seed gives different identifiers', async () => {
  const scenario = scenarios.find(({ file }) => file.endsWith('paying/chip-and-pin.yaml'));
  if (!scenario) throw new Error('there is no such scenario');
  const [one, other] = [await runScenario(scenario, { seed: 7 }), await runScenario(scenario, { seed: 8 })];
  expect(journalOf(one).length).toBeGreaterThan(20);
  expect(journalOf(one)).not.toEqual(journalOf(other));
});
