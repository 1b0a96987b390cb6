import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { findScenarios, runScenario, type ScenarioResult, ScenarioThreads } from '../../scenarios/index.ts';
import { sampleCases } from '../draws.ts';
import { testThoroughly } from '../optional-programs.ts';
import { seededLines } from '../seeded-lines.ts';

const testInCi = testThoroughly();

/** Checks that scenarios have the same results in several threads as in one thread. */

const library = join(import.meta.dirname, '../../scenarios/library');
const scenarios = sampleCases(
  findScenarios([join(library, 'tips'), join(library, 'recovery'), join(library, 'saved-cards')]),
  6,
);
/** Returns a result without the parts that depend on the machine's speed or its ports. */
const settled = ({ tookMs: _, journal, findings, ...rest }: ScenarioResult) => ({
  ...rest,
  findings: findings.map(({ rule, payment }) => ({ rule, payment })),
  journal: seededLines(journal).map((line) => line.replaceAll(/127\.0\.0\.1:\d+/g, 'GATEWAY')),
});

testInCi('a scenario ends the same in any thread, with the same journal except for ports', async () => {
  const threads = new ScenarioThreads({ threads: 2, workers: 8 });
  onTestFinished(() => threads.close());
  await threads.loaded();
  const results = await Promise.all(scenarios.map((scenario) => threads.run(scenario, undefined)));
  expect(results.map(({ verdict }) => verdict)).toEqual(scenarios.map(() => 'passed'));
  for (const [index, scenario] of scenarios.entries())
    expect(settled(results[index] as ScenarioResult)).toEqual(settled(await runScenario(scenario)));
});
