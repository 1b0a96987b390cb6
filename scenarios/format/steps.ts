import { z } from 'zod';
import { nameSchema } from './values.ts';

/** How the steps of one verb are written. */
export interface StepForm {
  /** The name of the verb. A step with a field of this name is a step of this verb. */
  readonly name: string;
  /** The schema of the step as it is written in the file. The verb's name is one of the step's fields. */
  readonly schema: z.ZodObject;
  /** Whether `- name` alone is a step. */
  readonly standsAlone: boolean;
}

/** Every verb that a step can have, by name. */
export type StepForms = ReadonlyMap<string, StepForm>;

export const includeStepSchema = z
  .strictObject({
    include: z.string().meta({ description: 'A .steps.yaml file, with a path relative to this file' }),
    with: z.record(nameSchema, z.unknown()).optional().meta({ description: 'Values of its placeholders' }),
  })
  .meta({ description: 'Includes the steps of another file' });

/**
 * The steps that contain other steps. The inner steps are checked separately, because the messages are then more
 * precise.
 */
export const togetherStepSchema = z.strictObject({ together: z.record(z.string(), z.unknown()) });
export const meanwhileStepSchema = z.strictObject({ meanwhile: z.unknown() });

/** Returns the published schema of a step. */
export function makeStepSchema(forms: StepForms): z.ZodType {
  const steps = z.lazy(() => z.array(step).min(1));
  const togetherStep = z.strictObject({ together: z.record(z.string(), steps) }).meta({
    description:
      'Named branches that run at the same time; the scenario continues when all of them have finished',
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
      includeStepSchema,
    ])
    .meta({ id: 'Step', description: 'An action, or a condition that must be true' });
  return step;
}
