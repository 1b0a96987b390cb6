import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findScenarios } from './find-scenarios.ts';
import { runScenario } from './run-scenario.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stored-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const stored = () => join(folder, 'screen.stored.yaml');

/**
 * Updates the stored values in a run of only the first row of the examples. Returns the content of the file of stored
 * values.
 */
async function updated(steps: string, before: string): Promise<string> {
  writeFileSync(stored(), before);
  writeFileSync(
    join(folder, 'screen.yaml'),
    `name: At <which>\nexamples: [{ which: first }, { which: second }]\nsteps:\n${steps}`,
  );
  const [scenario] = findScenarios([join(folder, 'screen.yaml')]);
  if (!scenario) throw new Error('there is no scenario');
  const { failure } = await runScenario(scenario, { update: true });
  expect(failure?.message).toBeUndefined();
  return readFileSync(stored(), 'utf8');
}

const look = (name: string) =>
  `  - together:\n      one:\n        - expect: { screen: { state: { stored: ${name} } } }\n`;

test('an update drops values that no row of the file compares any more, even if all else is unchanged', async () => {
  expect(
    await updated(
      look('<which> one'),
      '# mine\n\n# of former\nformer: 1\nfirst one: idle\nsecond one: off\n',
    ),
  ).toBe('# mine\n\nfirst one: idle\nsecond one: off\n');
});

test('an update drops nothing if names are known only during the run, or nothing is compared', async () => {
  const before = 'former: 1\nV400m-100000001: idle\n';
  expect(await updated(look('<terminal.poiId>'), before)).toBe(before);
  expect(await updated('  - pass: 1 s\n', before)).toBe(before);
});
