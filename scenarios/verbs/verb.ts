import { z } from 'zod';
import type { Actors } from '../environment/actors.ts';
import type { StoredValues } from '../expect/stored-values.ts';
import type { StepForm } from '../format/steps.ts';

/** Everything that a step can act on. */
export interface StepContext extends Actors {
  /** The values that are stored beside the scenario's file. */
  readonly stored?: StoredValues;
}

/**
 * Requirements of a step that only an environment of the scenario's own can meet, or that such an environment meets
 * much faster.
 */
export interface Requirements {
  /** The milliseconds that the step waits. In virtual time this takes only a moment. */
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

/** Makes a verb. If the field with the verb's name accepts `true`, a step may consist of the name alone. */
export function defineVerb<Fields extends z.ZodRawShape>(
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
