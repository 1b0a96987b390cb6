import { z } from 'zod';
import { customerVerbs } from '../verbs/customer.ts';
import { expectVerbs } from '../verbs/expect.ts';
import { faultVerbs } from '../verbs/faults.ts';
import { posVerbs } from '../verbs/pos.ts';
import { savedCardVerbs } from '../verbs/saved-cards.ts';
import { shopperVerbs } from '../verbs/shopper.ts';
import { webhookVerbs } from '../verbs/webhooks.ts';
import { worldVerbs } from '../verbs/world.ts';
import { name } from './values.ts';
import type { Verb } from './verb.ts';

/** Every verb a step can have, by name. */
export const verbs: ReadonlyMap<string, Verb> = new Map(
  [
    ...posVerbs,
    ...savedCardVerbs,
    ...shopperVerbs,
    ...customerVerbs,
    ...worldVerbs,
    ...faultVerbs,
    ...webhookVerbs,
    ...expectVerbs,
  ].map((one) => [one.name, one]),
);

const steps = z.lazy(() => z.array(step).min(1));

/** Steps that hold other steps. */
const togetherStep = z
  .strictObject({ together: z.record(z.string(), steps) })
  .meta({ description: 'Branches at the same time, each with a name; goes on when all of them are through' });
const meanwhileStep = z
  .strictObject({ meanwhile: steps })
  .meta({ description: 'A branch that goes on beside the following steps' });
export const includeStep = z
  .strictObject({
    include: z.string().meta({ description: 'A .steps.yaml file, relative to this one' }),
    with: z.record(name, z.unknown()).optional().meta({ description: 'Values of its placeholders' }),
  })
  .meta({ description: 'The steps of another file' });

/** The same without a look at the steps inside, which are checked one by one for better messages. */
export const togetherForm = z.strictObject({ together: z.record(z.string(), z.unknown()) });
export const meanwhileForm = z.strictObject({ meanwhile: z.unknown() });

const loneNames = [...verbs.values()].filter((one) => one.standsAlone).map((one) => one.name);

/** A step of a scenario, as its schema is published. */
export const step: z.ZodType = z
  .union([
    z.enum(loneNames as [string, ...string[]]),
    ...[...verbs.values()].map((one) => one.schema),
    togetherStep,
    meanwhileStep,
    includeStep,
  ])
  .meta({ id: 'Step', description: 'One thing that somebody does, or that must be true' });
