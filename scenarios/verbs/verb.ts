import type { z } from 'zod';
import type { Actors } from '../environment/actors.ts';
import type { StoredValues } from '../expect/stored-values.ts';
import type { StepForm } from '../format/steps.ts';

/** What a step acts on. */
export interface StepContext extends Actors {
  /** What the scenario's file stores beside it. */
  readonly stored?: StoredValues;
}

/** What a step can do only in an environment of its own, or does there much sooner. */
export interface Requirements {
  /** Time that it waits: a moment in virtual time. */
  readonly waitsMs?: number;
  /** The gateway is stopped and started again, so no other client may use it, and its data must be stored. */
  readonly restartsGateway?: boolean;
}

/** One thing a step can say. */
export interface Verb<Schema extends z.ZodObject = z.ZodObject> extends StepForm {
  readonly schema: Schema;
  run(context: StepContext, step: z.infer<Schema>): Promise<unknown>;
  /** Of a step as it stands in the file: placeholders that the run fills are not filled yet. */
  requires(step: Record<string, unknown>): Requirements;
}

/** Keeps the schema's type while the verb goes into a list. */
export function verb<Schema extends z.ZodObject>(
  name: string,
  schema: Schema,
  run: (context: StepContext, step: z.infer<Schema>) => Promise<unknown>,
  { standsAlone = false, requires = () => ({}) }: { standsAlone?: boolean; requires?: Verb['requires'] } = {},
): Verb {
  return { name, schema, standsAlone, requires, run: run as Verb['run'] };
}
