import { z } from 'zod';
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

/** Makes a verb. A step of it may be its name alone if the field of that name takes `true`. */
export function verb<Fields extends z.ZodRawShape>(
  name: string,
  description: string,
  fields: Fields,
  run: (context: StepContext, step: z.infer<z.ZodObject<Fields, z.core.$strict>>) => Promise<unknown>,
  requires: Verb['requires'] = () => ({}),
): Verb {
  const schema = z.strictObject(fields).meta({ description });
  const standsAlone = z.safeParse(fields[name] as z.ZodType, true).success;
  return { name, schema, standsAlone, requires, run: run as Verb['run'] };
}
