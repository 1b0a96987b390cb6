import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, relative, resolve } from 'node:path';
import { cannotWrite } from '../../shared/file-fault.ts';
import type { TestEnvironment } from '../environment/scenario-context.ts';
import type { ScenarioResult, ScenarioRunOptions } from '../run/run-scenario.ts';
import { renderTrace, type TraceStep } from './render-trace.ts';

/** Notes which step was run when, beside whatever a run does anyway. */
export class ScenarioTracer {
  #environment: TestEnvironment | undefined;
  #steps: TraceStep[] = [];
  #seq = 0;

  /** The options of a run that is traced. */
  traced(options: ScenarioRunOptions): ScenarioRunOptions {
    return {
      ...options,
      onStart: async (environment) => {
        this.#environment = environment;
        await options.onStart?.(environment);
      },
      onStep: async (step) => {
        this.#seq = (await this.#environment?.journalSince(this.#seq))?.at(-1)?.seq ?? this.#seq;
        this.#steps.push({ text: step.text, at: step.at, seq: this.#seq });
        await options.onStep?.(step);
      },
    };
  }

  /**
   * Writes the trace of the scenario that was run below a folder, in the folders that the scenario has `below` another;
   * returns the file.
   *
   * @throws StartError naming the file and why it cannot be written
   */
  async write(result: ScenarioResult, folder: string, below: string): Promise<string> {
    const { scenario, failure, journal, findings } = result;
    const file = join(folder, traceFile(result, below));
    const title = `${scenario.name}: ${result.verdict}`;
    const page = await renderTrace({ title, entries: journal, steps: this.#steps, failure, findings });
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, page);
    } catch (error) {
      throw cannotWrite(file, error);
    }
    return file;
  }
}

/** The folder that has all of these files: the current one where it does. */
export function commonFolder(files: readonly string[]): string {
  if (!files.some(isAbsolute)) return '.';
  const [first = '', ...others] = files.map((file) => dirname(resolve(file)));
  let common = first;
  while (others.some((folder) => relative(common, folder).startsWith('..'))) common = dirname(common);
  return common;
}

/** In the folders that the scenario's file is in, so that no two scenarios, rows or seeds have the same one. */
function traceFile({ scenario, seed }: ScenarioResult, below: string): string {
  const { dir, name } = parse(relative(below, scenario.file));
  const row = scenario.row === undefined ? [] : [`row-${scenario.row}`];
  return join(dir, [name, ...row, slug(scenario.name), seed, 'html'].join('.'));
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60);
}
