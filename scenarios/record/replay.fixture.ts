import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ConfigChanges } from '../../stack/index.ts';
import { type StackHarness, stackHarness } from '../../test/stack/stack-harness.ts';
import { findScenarios } from '../run/find-scenarios.ts';
import { runScenario } from '../run/run-scenario.ts';
import { recordScenario } from './record-scenario.ts';

/** Lets `run` use a gateway and terminals over the control API, and returns the recording of what `run` did. */
export async function recordRun(
  run: (harness: StackHarness) => Promise<void>,
  changes: ConfigChanges = {},
): Promise<string> {
  const harness = await stackHarness(changes);
  const before = harness.journal().length;
  await run(harness);
  return recordScenario(harness.journal().slice(before), {
    name: 'Recorded',
    terminals: harness.stack.terminals,
  });
}

/** Runs a recorded scenario, and returns the journal of this run. */
export async function replayScenario(scenario: string) {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-record-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'recorded.yaml');
  writeFileSync(file, scenario);
  const [found] = findScenarios([file]);
  if (!found) throw new Error('no scenario');
  const result = await runScenario(found);
  if (result.failure) throw new Error(`${result.failure.message}\n${result.failure.step}\n${scenario}`);
  return result.journal;
}

export const outcomesIn = (journal: Awaited<ReturnType<typeof replayScenario>>) =>
  journal.flatMap(({ kind, data }) =>
    kind === 'payment.concluded' && 'result' in data && 'errorCondition' in data
      ? [data.errorCondition ?? data.result]
      : kind === 'payment.concluded'
        ? ['success']
        : [],
  );
