import { z } from 'zod';
import { eventType } from '../events/schemas.ts';
import { deliveryStates } from '../store/schema.ts';

const environment = z.enum(['sandbox', 'production']);
const time = z.iso.datetime();

const url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(2000)
  .refine((text) => {
    if (!URL.canParse(text)) return true; // said already
    const { username, password } = new URL(text);
    return username === '' && password === '';
  }, 'must not hold a user name or password')
  .meta({ example: 'https://pos.example.com/webhooks' });

const types = z
  .array(eventType)
  .min(1)
  .nullable()
  .meta({ description: 'The events to send; null for all', example: ['payments.refunds.failed'] });

const secret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be whsec_ and 24 to 64 bytes in base64')
  .meta({ description: 'Standard Webhooks secret that signs' });

/** Where events go, as the operator gives it (B109). */
export const webhookInput = z
  .object({
    id: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, . _ or -')
      .optional()
      .meta({ description: 'Made when absent' }),
    accountId: z.string(),
    environment: environment.default('sandbox'),
    url,
    types: types.default(null),
    description: z.string().max(120).default(''),
    secret: secret.optional(),
  })
  .meta({ id: 'WebhookInput' });
export type WebhookInput = z.input<typeof webhookInput>;

export const webhookChanges = z
  .object({
    url,
    types,
    description: z.string().max(120),
    enabled: z.boolean().meta({ description: 'false sends nothing more and ends what is pending' }),
  })
  .partial()
  .meta({ id: 'WebhookChanges' });
export type WebhookChanges = z.infer<typeof webhookChanges>;

export const webhook = z
  .object({
    id: z.string(),
    accountId: z.string(),
    environment,
    url: z.string(),
    types,
    description: z.string(),
    secret: z.string(),
    formerSecretUntil: time
      .nullable()
      .meta({ description: 'Until then the secret before the last rotation signs as well' }),
    enabled: z.boolean(),
    disabledWhy: z.string().nullable(),
    createdAt: time,
  })
  .meta({ id: 'Webhook', description: 'Where events of an account are sent' });
export type Webhook = z.infer<typeof webhook>;

export const webhookAttempt = z
  .object({
    at: time,
    durationMs: z.int(),
    by: z.enum(['schedule', 'hand']),
    status: z.int().nullable().meta({ description: 'Null where no answer came' }),
    error: z.string().nullable(),
    answer: z.string().nullable().meta({ description: "The beginning of the receiver's answer" }),
  })
  .meta({ id: 'WebhookAttempt' });

export const webhookDelivery = z
  .object({
    id: z.uuid(),
    webhookId: z.string(),
    eventId: z.uuid().meta({ description: 'The header webhook-id: the same in every attempt' }),
    type: eventType,
    resourceId: z.string(),
    state: z.enum(deliveryStates),
    why: z.string().meta({ description: 'Why it is in its state, in words' }),
    nextAttemptAt: time.nullable(),
    createdAt: time,
    endedAt: time.nullable(),
    attempts: z.array(webhookAttempt).meta({ description: 'Every one there was, the first first' }),
  })
  .meta({ id: 'WebhookDelivery', description: 'One event on its way to one webhook' });
export type WebhookDelivery = z.infer<typeof webhookDelivery>;
