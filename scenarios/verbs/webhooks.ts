import { z } from 'zod';
import { durationSchema, loneVerbValueSchema, parseDurationMs } from '../format/values.ts';
import { defineVerb } from './verb.ts';

const webhook = z
  .string()
  .optional()
  .meta({ description: 'The name of a webhook in `needs`; by default the first webhook' });
const times = z
  .int()
  .min(1)
  .optional()
  .meta({ description: 'How many times the receiver answers slowly; once by default' });

const receiver = defineVerb(
  'receiver',
  'How the receiver answers the next webhooks; with `as usual`, it answers 204',
  {
    receiver: z.union([
      z.enum(['as usual', 'hangs up', 'is gone', 'takes the new secret']),
      z.strictObject({
        fails: z.int().min(1).meta({ description: 'How many times' }),
        with: z.int().min(300).max(599).optional().meta({ description: 'A status; 500 by default' }),
      }),
      z.strictObject({ slow: durationSchema, times }),
    ]),
    webhook,
  },
  async ({ receivers }, { receiver: behaviour, webhook: name }) => {
    const one = receivers.get(name);
    if (behaviour === 'as usual') one.asUsual();
    else if (behaviour === 'hangs up') one.hangsUp();
    else if (behaviour === 'is gone') one.gone();
    else if (behaviour === 'takes the new secret') await receivers.takeSecret(name);
    else if ('slow' in behaviour) one.isSlow(parseDurationMs(behaviour.slow), behaviour.times);
    else one.fails(behaviour.fails, behaviour.with);
  },
);

const rotate = defineVerb(
  'rotate secret',
  "The operator rotates the webhook's secret; for a day, webhooks are signed with both secrets",
  { 'rotate secret': loneVerbValueSchema, webhook },
  ({ receivers }, { webhook: name }) => receivers.rotateSecret(name),
);

const sendAgain = defineVerb(
  'send webhook again',
  'The operator sends the latest event of the named type again',
  { 'send webhook again': z.string().meta({ description: 'Type of the event' }), webhook },
  ({ receivers }, { 'send webhook again': type, webhook: name }) => receivers.sendAgain(type, name),
);

const forge = defineVerb(
  'forge webhook',
  'Sends the receiver a message with a wrong signature',
  { 'forge webhook': loneVerbValueSchema, webhook },
  ({ receivers }, { webhook: name }) => receivers.forge(name),
);

/** The verbs for webhook receivers, and for the operator's work with webhooks. */
export const webhookVerbs = [receiver, rotate, sendAgain, forge];
