import { z } from 'zod';
import type { Actors } from '../environment/actors.ts';
import type { StoredValues } from '../expect/stored-values.ts';
import type { StepForm } from '../format/steps.ts';

/** Everything that a step can use. */
export interface StepContext extends Actors {
  /** The values that are stored beside the scenario's file. */
  readonly stored?: StoredValues;
}

/**
 * The requirements that a step has of its environment. A shared environment cannot meet some of these requirements, and
 * meets the rest much more slowly than an environment for one scenario.
 */
export interface EnvironmentRequirements {
  /** The milliseconds that the step waits. In virtual time, the wait takes only a moment. */
  readonly waitsMs?: number;
  /**
   * Whether the step stops the gateway and starts it again. If so, no other client may use the gateway, and the
   * gateway's data must be stored on disk.
   */
  readonly restartsGateway?: boolean;
}

/** One kind of step. */
export interface Verb<Schema extends z.ZodObject = z.ZodObject> extends StepForm {
  readonly schema: Schema;
  run(context: StepContext, step: z.infer<Schema>): Promise<unknown>;
  /** The requirements of a step as it is written in the file, before the run fills in its placeholders. */
  requires(step: Record<string, unknown>): EnvironmentRequirements;
}

/** Makes a verb. If the field with the verb's name accepts `true`, the name alone is a valid step. */
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
