import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
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

  /** Writes the trace of the scenario that was run below a folder; returns the file. */
  async write(result: ScenarioResult, folder: string): Promise<string> {
    const { scenario, failure, journal, findings } = result;
    const file = join(folder, traceFile(result));
    mkdirSync(dirname(file), { recursive: true });
    const title = `${scenario.name}: ${result.verdict}`;
    writeFileSync(
      file,
      await renderTrace({ title, entries: journal, steps: this.#steps, failure, findings }),
    );
    return file;
  }
}

/** In the folders that the scenario's file is in, so that no two scenarios, rows or seeds have the same one. */
function traceFile({ scenario, seed }: ScenarioResult): string {
  const { root, dir, name } = parse(scenario.file);
  const row = scenario.row === undefined ? [] : [`row-${scenario.row}`];
  return join(dir.slice(root.length), [name, ...row, slug(scenario.name), seed, 'html'].join('.'));
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60);
}
