import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { findScenarios, type Scenario } from '../../scenarios/index.ts';
import { type ConsoleScenarios, StartError } from '../../stack/index.ts';
import { selectedScenarios, shippedScenarios } from '../run/selection.ts';
import { SteppedRun } from './stepped-run.ts';

/** The scenarios in `scenarios/` here, and those that come with pinpad, to be run and watched. One at a time is kept. */
export function consoleScenarios(): ConsoleScenarios & { keep(text: string): void } {
  let recorded: Scenario[] = [];
  const all = () => [...recorded, ...filed()];
  let run: { readonly id: string; readonly stepped: SteppedRun } | undefined;
  let count = 0;
  const runOf = (id: string) => (run?.id === id ? run.stepped : undefined);
  return {
    keep: (text) => {
      recorded = read(text);
    },
    list: async () => all().map((scenario) => ({ id: idOf(scenario), ...shown(scenario) })),
    start: async (id) => {
      const scenario = all().find((each) => idOf(each) === id);
      if (!scenario) return undefined;
      run?.stepped.proceed('end'); // no page shows it any more
      run = { id: String(++count), stepped: new SteppedRun(scenario) };
      return run.id;
    },
    state: async (id, { version, since }, signal) => runOf(id)?.state(version, since, signal),
    proceed: (id, how) => runOf(id)?.proceed(how),
  };
}

/** What was recorded last, from its text alone: it is kept in memory. */
function read(text: string): Scenario[] {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-'));
  try {
    const file = join(folder, 'recorded.yaml');
    writeFileSync(file, text);
    return findScenarios([file]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function filed(): Scenario[] {
  return [...ownScenarios(), ...selectedScenarios([shippedScenarios()])];
}

/** Each by itself: one that is wrong, or is something else, must not hide the others. */
function ownScenarios(): Scenario[] {
  const shipped = resolve(shippedScenarios());
  return globSync('scenarios/**/*.{yaml,yml}')
    .filter((file) => !resolve(file).startsWith(shipped))
    .flatMap((file) => {
      try {
        return selectedScenarios([file]);
      } catch (error) {
        if (error instanceof StartError) return [];
        throw error;
      }
    });
}

function idOf({ file, name, row }: Scenario): string {
  return [file, row, name].join('#');
}

function shown({ name, description, file, tags }: Scenario) {
  return { name, description, file: shortened(file), tags };
}

/** From here, or from where those that come with pinpad are; what was recorded has no folder. */
function shortened(file: string): string {
  const shipped = relative(shippedScenarios(), file);
  if (!shipped.startsWith('..')) return shipped;
  const path = relative(process.cwd(), file);
  return path.startsWith('..') ? basename(file) : path;
}
