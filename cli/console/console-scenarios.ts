import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import type { Scenario } from '../../scenarios/index.ts';
import type { ConsoleScenarioRuns } from '../../stack/index.ts';
import { findShippedScenariosFolder } from '../run/selection.ts';
import { ScenarioFileLister } from './scenario-files.ts';
import { ScenarioReader } from './scenario-reader.ts';
import type { ListedScenario } from './scenario-worker.ts';
import { SteppedRun } from './stepped-run.ts';

/**
 * Lets browsers run and watch scenarios: those in the folder `scenarios/` of the current folder, and those that come
 * with pinpad. Only the latest run is kept.
 */
export function makeConsoleScenarioRuns(
  reader = new ScenarioReader(),
  files = new ScenarioFileLister(reader),
): ConsoleScenarioRuns & { keep(text: string): Promise<void> } {
  let recorded: Scenario | undefined;
  let run: { readonly id: string; readonly stepped: SteppedRun } | undefined;
  let count = 0;
  const runOf = (id: string) => (run?.id === id ? run.stepped : undefined);
  /** Finds a scenario. Its file is read anew, because the files that it includes may have changed. */
  const scenarioOf = async (id: string) => {
    if (recorded && idOf(recorded) === id) return recorded;
    const listed = (await files.read()).flatMap(({ scenarios }) => scenarios);
    const found = listed.find((each) => idOf(each) === id);
    return found && reader.scenario(found.file, found);
  };
  return {
    keep: async (text) => {
      recorded = await recordedScenario(reader, text);
    },
    list: async () => [
      ...(recorded ? [shown(recorded)] : []),
      ...(await files.read()).flatMap(({ file, scenarios, problem }) =>
        problem === undefined
          ? scenarios.map(shown)
          : [{ id: file, name: basename(file), description: '', file: shortened(file), tags: [], problem }],
      ),
    ],
    start: async (id) => {
      const scenario = await scenarioOf(id);
      if (!scenario) return undefined;
      run?.stepped.proceed('end'); // no page shows this run any more
      run = { id: String(++count), stepped: new SteppedRun(scenario) };
      return run.id;
    },
    state: async (id, { version, since }, signal) => runOf(id)?.state(version, since, signal),
    proceed: (id, how) => runOf(id)?.proceed(how),
  };
}

/** Reads a scenario from the text of the latest recording. */
async function recordedScenario(reader: ScenarioReader, text: string): Promise<Scenario | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-'));
  try {
    const file = join(folder, 'recorded.yaml');
    writeFileSync(file, text);
    const [listed] = await reader.list(file);
    return listed && (await reader.scenario(file, listed));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function idOf({ file, name, row }: ListedScenario): string {
  return [file, row, name].join('#');
}

function shown(scenario: ListedScenario) {
  const { name, description, file, tags } = scenario;
  return { id: idOf(scenario), name, description, file: shortened(file), tags };
}

/**
 * Returns a path relative to the current folder, or to the folder of the scenarios that come with pinpad. For a
 * recording, returns only the name of its file.
 */
function shortened(file: string): string {
  const shipped = relative(findShippedScenariosFolder(), file);
  if (!shipped.startsWith('..')) return shipped;
  const path = relative(process.cwd(), file);
  return path.startsWith('..') ? basename(file) : path;
}
