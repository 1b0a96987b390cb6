import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Exploration,
  type ExplorationFindings,
  type RerunCommandBuilder,
  recordFailureAsScenario,
} from '../../explore/index.ts';
import { findScenarios, runScenario } from '../../scenarios/index.ts';
import { describeFileFault } from '../../shared/file-fault.ts';
import { tryWriteReport } from './write-report.ts';

/**
 * Writes each failure as a scenario, in a file named after its faults. Then replays the scenario. Keeps the file only
 * if the replay fails in an expectation about that failure.
 */
export async function writeReplayedFailureScenarios(
  folder: string,
  exploration: Exploration,
  findings: ExplorationFindings,
  again: RerunCommandBuilder,
): Promise<void> {
  for (const { shown, also } of findings.failures)
    for (const one of [shown, ...also]) {
      const recorded = recordFailureAsScenario(one, exploration, again);
      const file = join(folder, `${recorded.name}.yaml`);
      if ('text' in recorded && !tryWriteReport(file, recorded.text)) continue;
      const why = 'why' in recorded ? recorded.why : await whyNotRed(file);
      if (why !== undefined && 'text' in recorded) rmSync(file);
      console.log(why === undefined ? `recorded ${file}` : `not recorded: ${recorded.name}: ${why}`);
    }
}

/** Replays a recorded scenario. Returns the reason if the scenario does not show the failure, otherwise undefined. */
async function whyNotRed(file: string): Promise<string | undefined> {
  try {
    const [scenario] = findScenarios([file]);
    if (!scenario) return 'the recorded file cannot be read again';
    const { failure } = await runScenario(scenario);
    if (!failure) return 'a scenario with the same requests does not fail';
    return mayBeExpected(failure.step)
      ? undefined
      : `the scenario stops at "${failure.step}", before the failure`;
  } catch (error) {
    return `the scenario cannot be replayed: ${describeFileFault(error)}`;
  }
}

/**
 * Whether a failed step may be one of the expectations at the end of a recorded failure. These expectations contain the
 * word `journal` or `books`. An earlier step can contain these words too, so the answer is not certain.
 */
function mayBeExpected(step: string): boolean {
  return /journal|books/.test(step);
}
