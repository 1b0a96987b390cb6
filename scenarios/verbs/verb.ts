import type { z } from 'zod';
import type { Actors } from '../environment/actors.ts';
import type { StoredValues } from '../expect/stored-values.ts';
import type { StepForm } from '../format/steps.ts';

/** The things that a step acts on. */
export interface StepContext extends Actors {
  /** The values that are stored beside the scenario's file. */
  readonly stored?: StoredValues;
}

/** The things that a step can do only in an environment of its own, or much sooner there. */
export interface Requirements {
  /** The milliseconds that it waits; in virtual time they take only a moment. */
  readonly waitsMs?: number;
  /** Whether the gateway is stopped and started again: no other client may use it then, and its data must be stored. */
  readonly restartsGateway?: boolean;
}

/** One kind of step. */
export interface Verb<Schema extends z.ZodObject = z.ZodObject> extends StepForm {
  readonly schema: Schema;
  run(context: StepContext, step: z.infer<Schema>): Promise<unknown>;
  /** The requirements of a step as written in the file, before the run fills its placeholders. */
  requires(step: Record<string, unknown>): Requirements;
}

/** Keeps the schema's type when the verb goes into a list. */
export function verb<Schema extends z.ZodObject>(
  name: string,
  schema: Schema,
  run: (context: StepContext, step: z.infer<Schema>) => Promise<unknown>,
  { standsAlone = false, requires = () => ({}) }: { standsAlone?: boolean; requires?: Verb['requires'] } = {},
): Verb {
  return { name, schema, standsAlone, requires, run: run as Verb['run'] };
}
