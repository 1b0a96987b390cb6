import { z } from 'zod';
import { scenarioNeedsSchema } from './needs.ts';
import { makeStepSchema, type StepForms } from './steps.ts';
import { nameSchema } from './values.ts';

const header = {
  name: z.string().min(1).max(120).meta({ description: 'The scenario in one sentence' }),
  description: z.string().optional().meta({ description: 'A description of the scenario for its readers' }),
  tags: z.array(z.string()).optional(),
  needs: scenarioNeedsSchema.optional(),
  vars: z.record(nameSchema, z.unknown()).optional().meta({ description: 'Values of <placeholders>' }),
  examples: z.array(z.record(nameSchema, z.unknown())).min(1).optional().meta({
    description: 'The scenario runs once for each row. The fields of the row replace <placeholders>',
  }),
  $schema: z.string().optional(),
};

const atLeastOneStep = 'must be a list of at least one step';
const steps = z.array(z.unknown(), atLeastOneStep).min(1, atLeastOneStep);

/** Returns the message about a file that does not contain fields, because it is empty, a list or a text. */
const isNo = (what: string) => ({
  error: ({ code }: { code?: string }) => (code === 'invalid_type' ? what : undefined),
});

/**
 * A scenario whose needs and steps are not checked yet. They are checked later, when their placeholders are filled
 * in.
 */
export const uncheckedScenarioSchema = z.strictObject(
  { ...header, needs: z.unknown().optional(), steps },
  isNo('is not a scenario: it must have a name and steps'),
);

/** A file of steps that scenarios can include. */
export const uncheckedFragmentSchema = z.strictObject(
  { description: header.description, vars: header.vars, steps },
  isNo('has no steps to include: it must have a list of steps'),
);

/**
 * Returns the JSON Schema of scenario files. With this schema, editors complete and check a scenario while the author
 * types.
 */
export function makeScenarioJsonSchema(forms: StepForms): object {
  const scenario = z.strictObject({ ...header, steps: z.array(makeStepSchema(forms)).min(1) }).meta({
    id: 'Scenario',
    title: 'pinpad scenario',
    description: 'A scenario for the command "pinpad run"',
  });
  return z.toJSONSchema(scenario, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (!isNarrow(jsonSchema)) return;
      const { description, ...narrow } = { ...jsonSchema };
      delete narrow.id; // zod uses this id under $defs
      for (const field of Object.keys(jsonSchema)) delete jsonSchema[field];
      Object.assign(jsonSchema, description === undefined ? {} : { description }, {
        anyOf: [narrow, { type: 'string', pattern: '^<[^<>]+>$' }],
      });
    },
  });
}

/**
 * Whether a schema rejects the text of a placeholder. The published schema must accept this text, because a
 * placeholder may stand for the value.
 */
function isNarrow({
  type,
  enum: values,
  pattern,
}: {
  type?: unknown;
  enum?: unknown;
  pattern?: unknown;
}): boolean {
  return type === 'number' || type === 'integer' || type === 'boolean' || !!values || !!pattern;
}
