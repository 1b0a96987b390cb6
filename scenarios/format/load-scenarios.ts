import { dirname, join } from 'node:path';
import { plainErrorMap } from '../../shared/plain-faults.ts';
import { makePrintable } from '../../shared/printable.ts';
import { type Needs, scenarioNeedsSchema } from './needs.ts';
import { fillPlaceholders, placeholdersIn } from './placeholders.ts';
import { type FilePlace, type FileProblem, ScenarioFile, ScenarioFileError } from './scenario-file.ts';
import { uncheckedFragmentSchema, uncheckedScenarioSchema } from './schema.ts';
import {
  includeStepSchema,
  meanwhileStepSchema,
  type StepForm,
  type StepForms,
  togetherStepSchema,
} from './steps.ts';

/** The place of a step, and the step's text as it is written in the file. */
interface StepPlace {
  readonly at: FilePlace;
  readonly text: string;
}

/** A step that is ready to run. */
export type ScenarioStep = StepPlace &
  (
    | { readonly verb: string; readonly fields: Record<string, unknown> }
    | { readonly together: readonly { readonly name: string; readonly steps: readonly ScenarioStep[] }[] }
    | { readonly meanwhile: readonly ScenarioStep[] }
  );

/** Returns every step, including the steps inside branches. */
export function allStepsOf(steps: readonly ScenarioStep[]): ScenarioStep[] {
  return steps.flatMap((step) => {
    if ('together' in step) return [step, ...step.together.flatMap((branch) => allStepsOf(branch.steps))];
    return 'meanwhile' in step ? [step, ...allStepsOf(step.meanwhile)] : [step];
  });
}

/**
 * A scenario that is ready to run. If the file has examples, each row of the examples becomes a separate scenario.
 */
export interface Scenario {
  readonly file: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly needs: Needs;
  readonly steps: readonly ScenarioStep[];
  /** The number of the row of examples, counted from 1. Absent for a scenario without examples. */
  readonly row?: number;
  readonly at: FilePlace;
}

/**
 * Reads a scenario file: one scenario, or one for each row of its examples.
 *
 * @throws ScenarioFileError with the places of all mistakes
 */
export function loadScenarios(path: string, forms: StepForms): Scenario[] {
  const file = new ScenarioFile(path);
  const header = uncheckedScenarioSchema.safeParse(file.content, { error: plainErrorMap });
  if (!header.success) throw new ScenarioFileError(file.faults([], header.error.issues));
  const { name, description = '', tags = [], vars = {}, examples } = header.data;
  return (examples ?? [{}]).map((fields, index) => {
    const values = { ...vars, ...fields };
    const row = examples && index + 1;
    const unknown = (['name', 'needs'] as const).flatMap((field) =>
      unknownNames(header.data[field], values, row, 'now').map((message) => file.fault([field], message)),
    );
    if (unknown.length > 0) throw new ScenarioFileError(unknown);
    // terminal windows and reports show this text, so it must be printable
    const title = makePrintable(String(fillPlaceholders(name, (known) => values[known])));
    return {
      file: path,
      name: row !== undefined && title === name ? `${name} (${row})` : title,
      description: description.trim(),
      tags,
      needs: neededIn(
        file,
        fillPlaceholders(header.data.needs ?? {}, (known) => values[known]),
      ),
      steps: new StepReader({ file, forms, values, within: [path], row }).read(['steps'], header.data.steps),
      row,
      at: file.place(examples ? ['examples', index] : ['name']),
    };
  });
}

function neededIn(file: ScenarioFile, given: unknown): Needs {
  const checked = scenarioNeedsSchema.safeParse(given, { error: plainErrorMap });
  if (checked.success) return checked.data;
  throw new ScenarioFileError(file.faults(['needs'], checked.error.issues));
}

interface StepReaderParts {
  readonly file: ScenarioFile;
  readonly forms: StepForms;
  readonly values: Record<string, unknown>;
  /**
   * The files that are being read, the outermost first. They show whether a file includes itself. Reading such a file
   * would never end.
   */
  readonly within: readonly string[];
  /** The number of the row of examples. */
  readonly row?: number;
}

/** Makes steps from the content of a file, and fills in those placeholders whose values are known before the run. */
class StepReader {
  readonly #parts: StepReaderParts;
  #faults: FileProblem[] = [];

  constructor(parts: StepReaderParts) {
    this.#parts = parts;
  }

  /** @throws ScenarioFileError */
  read(path: PropertyKey[], steps: readonly unknown[]): ScenarioStep[] {
    const read = this.#steps(path, steps);
    if (this.#faults.length > 0) throw new ScenarioFileError(this.#faults);
    return read;
  }

  #steps(path: PropertyKey[], steps: unknown): ScenarioStep[] {
    if (!Array.isArray(steps)) {
      this.#faults.push(this.#parts.file.fault(path, 'must be a list of steps'));
      return [];
    }
    return steps.flatMap((raw, index) => this.#step([...path, index], raw));
  }

  #step(path: PropertyKey[], raw: unknown): ScenarioStep[] {
    const written = typeof raw === 'string' ? { [raw]: true } : raw;
    const fields = fillPlaceholders(written, (name) => this.#parts.values[name]) as Record<string, unknown>;
    const place = { at: this.#parts.file.place(path), text: this.#parts.file.text(path) };
    if (!fields || typeof fields !== 'object' || Array.isArray(fields))
      return this.#refuse(
        path,
        `must be a step such as "pay: 12.50" or "remove", not ${JSON.stringify(raw)}`,
      );
    if ('together' in fields) return this.#together(path, fields, place);
    if ('meanwhile' in fields) return this.#meanwhile(path, fields, place);
    if ('include' in fields) return this.#included(path, fields);
    return this.#verbStep(path, fields, place, typeof raw === 'string');
  }

  #together(path: PropertyKey[], fields: Record<string, unknown>, place: StepPlace): ScenarioStep[] {
    if (!this.#fits(path, togetherStepSchema, fields)) return [];
    const branches = Object.entries(fields.together as Record<string, unknown>);
    const together = branches.map(([name, steps]) => ({
      name,
      steps: this.#steps([...path, 'together', name], steps),
    }));
    return [{ ...place, together }];
  }

  #meanwhile(path: PropertyKey[], fields: Record<string, unknown>, place: StepPlace): ScenarioStep[] {
    if (!this.#fits(path, meanwhileStepSchema, fields)) return [];
    return [{ ...place, meanwhile: this.#steps([...path, 'meanwhile'], fields.meanwhile) }];
  }

  /** @param isNameAlone whether the step is only the verb's name, as in `- remove` */
  #verbStep(
    path: PropertyKey[],
    fields: Record<string, unknown>,
    place: StepPlace,
    isNameAlone: boolean,
  ): ScenarioStep[] {
    const found = Object.keys(fields).map((name) => this.#parts.forms.get(name));
    const unknown = unknownNames(fields, this.#parts.values, this.#parts.row);
    if (unknown.length > 0) return this.#refuse(path, unknown.join('; '));
    const form = found.find((one) => one !== undefined);
    if (!form) return this.#refuse(path, unknownStep(Object.keys(fields), this.#parts.forms));
    if (isNameAlone && !form.standsAlone)
      return this.#refuse(path, `${form.name} needs a value: "${form.name}: …"`);
    return this.#fits(path, form.schema, fields) ? [{ ...place, verb: form.name, fields }] : [];
  }

  /** Reads the steps of an included file. The including step gives values for the placeholders in these steps. */
  #included(path: PropertyKey[], fields: Record<string, unknown>): ScenarioStep[] {
    const step = includeStepSchema.safeParse(fields, { error: plainErrorMap });
    if (!step.success) return this.#refuseAll(this.#parts.file.faults(path, step.error.issues));
    const target = join(dirname(this.#parts.file.file), step.data.include);
    const { forms, within } = this.#parts;
    if (within.includes(target)) return this.#refuse(path, `${target} includes itself`);
    try {
      const file = new ScenarioFile(target, this.#parts.file.place(path));
      const fragment = uncheckedFragmentSchema.safeParse(file.content, { error: plainErrorMap });
      if (!fragment.success) return this.#refuseAll(file.faults([], fragment.error.issues));
      const values = { ...fragment.data.vars, ...step.data.with };
      const used = placeholdersIn(fragment.data.steps);
      const useless = Object.keys(step.data.with ?? {}).filter((name) => !used.includes(name));
      if (useless.length > 0)
        return this.#refuse(
          path,
          `${step.data.include} has no ${useless.map((name) => `<${name}>`).join(', ')}`,
        );
      const missing = placeholdersIn(fragment.data.steps).filter(
        (name) => !(name in values) && !name.includes('.'),
      );
      if (missing.length > 0)
        return this.#refuse(path, `${step.data.include} needs ${missing.join(', ')}: add them under "with"`);
      return new StepReader({ file, forms, values, within: [...within, target] }).read(
        ['steps'],
        fragment.data.steps,
      );
    } catch (error) {
      if (error instanceof ScenarioFileError) return this.#refuseAll(error.faults);
      throw error;
    }
  }

  #fits(path: PropertyKey[], schema: StepForm['schema'], fields: Record<string, unknown>): boolean {
    const checked = schema.safeParse(fields, { error: plainErrorMap });
    if (checked.success) return true;
    for (const fault of this.#parts.file.faults(path, checked.error.issues)) this.#faults.push(fault);
    return false;
  }

  #refuse(path: PropertyKey[], message: string): [] {
    return this.#refuseAll([this.#parts.file.fault(path, message)]);
  }

  #refuseAll(faults: readonly FileProblem[]): [] {
    for (const fault of faults) this.#faults.push(fault);
    return [];
  }
}

/**
 * Returns a message for each placeholder that has no value. If `dotted` is `later`, leaves out names with a dot,
 * because they may get their values while the scenario runs.
 */
function unknownNames(
  content: unknown,
  values: Record<string, unknown>,
  row: number | undefined,
  dotted: 'later' | 'now' = 'later',
): string[] {
  const names = placeholdersIn(content).filter(
    (name) => values[name] === undefined && (dotted === 'now' || !name.includes('.')),
  );
  const known = Object.keys(values).map((name) => `<${name}>`);
  const where = row === undefined ? '' : ` in row ${row} of the examples`;
  return [...new Set(names)].map(
    (name) =>
      `<${name}> is not defined${where}; defined names: ${known.join(', ') || 'none (vars, examples, with)'}`,
  );
}

function unknownStep(names: readonly string[], forms: StepForms): string {
  const all = [...forms.keys(), 'together', 'meanwhile', 'include'];
  return `${names.join(', ') || 'this'} is not a step; steps are: ${all.join(', ')}`;
}
