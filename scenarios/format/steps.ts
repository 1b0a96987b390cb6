import { z } from 'zod';
import { name } from './values.ts';

/** How a step of one verb is written. */
export interface StepForm {
  /** The verb: a field of this name makes it this step. */
  readonly name: string;
  /** The step as it stands in the file, the verb's own name among the fields. */
  readonly schema: z.ZodObject;
  /** True where `- name` alone is a step. */
  readonly standsAlone: boolean;
}

/** Every verb that a step can have, by name. */
export type StepForms = ReadonlyMap<string, StepForm>;

export const includeStep = z
  .strictObject({
    include: z.string().meta({ description: 'A .steps.yaml file, relative to this one' }),
    with: z.record(name, z.unknown()).optional().meta({ description: 'Values of its placeholders' }),
  })
  .meta({ description: 'The steps of another file' });

/** Steps that hold other steps, without a look at those inside, which are checked one by one for better messages. */
export const togetherForm = z.strictObject({ together: z.record(z.string(), z.unknown()) });
export const meanwhileForm = z.strictObject({ meanwhile: z.unknown() });

/** A step of a scenario, as its schema is published. */
export function stepSchema(forms: StepForms): z.ZodType {
  const steps = z.lazy(() => z.array(step).min(1));
  const togetherStep = z.strictObject({ together: z.record(z.string(), steps) }).meta({
    description: 'Branches at the same time, each with a name; continues when all have finished',
  });
  const meanwhileStep = z
    .strictObject({ meanwhile: steps })
    .meta({ description: 'A branch that runs in parallel with the following steps' });
  const loneNames = [...forms.values()].filter((one) => one.standsAlone).map((one) => one.name);
  const step: z.ZodType = z
    .union([
      z.enum(loneNames),
      ...[...forms.values()].map((one) => one.schema),
      togetherStep,
      meanwhileStep,
      includeStep,
    ])
    .meta({ id: 'Step', description: 'An action, or something that must be true' });
  return step;
}
