import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, relative, resolve } from 'node:path';
import { makeCannotWriteError } from '../../shared/file-fault.ts';
import type { TestEnvironment } from '../environment/scenario-context.ts';
import type { ScenarioResult, ScenarioRunOptions } from '../run/run-scenario.ts';
import { renderTrace, type TraceStep } from './render-trace.ts';

/** Notes the place in the journal at which each step of a run began. */
export class ScenarioTracer {
  #environment: TestEnvironment | undefined;
  #steps: TraceStep[] = [];
  #seq = 0;

  /** Returns the options of a run, changed so that the run is also traced. */
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
   * Writes the trace of the scenario that ran, and returns the trace's file. If the scenario's file is in a subfolder
   * of `below`, the trace is in a subfolder of `folder` with the same path.
   *
   * @throws StartError if the trace cannot be written. The error names the file and the reason
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
      throw makeCannotWriteError(file, error);
    }
    return file;
  }
}

/** Returns the folder that contains all of these files. If all paths are relative, this is the current folder. */
export function findCommonFolder(files: readonly string[]): string {
  if (!files.some(isAbsolute)) return '.';
  const [first = '', ...others] = files.map((file) => dirname(resolve(file)));
  let common = first;
  while (others.some((folder) => relative(common, folder).startsWith('..'))) common = dirname(common);
  return common;
}

/**
 * Returns the relative path of a trace. The path contains the subfolders of the scenario's file. So each scenario,
 * row and seed has a separate trace file.
 */
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
