import { z } from 'zod';
import { paymentBrandSchema } from '../../shared/nexo/enums.ts';
import type { PaymentReference } from '../environment/sending.ts';
import {
  amountSchema,
  earlierRequestNameSchema,
  loneVerbValueSchema,
  terminalNameSchema,
} from '../format/values.ts';
import { sendOptionFields, sendOptionsOf } from './sending.ts';
import { defineVerb, type StepContext } from './verb.ts';

const key = z.string().optional().meta({ description: 'Idempotency-Key' });
const tip = z
  .union(
    [
      z.boolean(),
      z.array(z.number()).meta({ description: 'Percentages, and a custom button' }),
      z.strictObject({
        percent: z.array(z.number()).optional(),
        fixed: z.array(z.number()).optional(),
        custom: z.boolean().optional(),
      }),
    ],
    {
      error: ({ input }) =>
        typeof input === 'object' && input !== null
          ? undefined // for an object, the message about its wrong part is more precise
          : 'must be true, a list of percentages such as [5, 10], or { percent: […], fixed: […], custom: true }',
    },
  )
  .optional()
  .meta({ description: 'Ask for a tip: `true` for the default choices, otherwise the choices to offer' });

const pay = defineVerb(
  'pay',
  'The POS requests a payment on a terminal. The scenario continues while the request waits for its answer',
  {
    pay: amountSchema,
    terminal: terminalNameSchema,
    key,
    reference: z.string().optional().meta({ description: 'saleReferenceId' }),
    tip,
    brands: z.array(paymentBrandSchema).optional().meta({ description: 'allowedPaymentBrand' }),
    entry: z
      .array(z.enum(['icc', 'contactless', 'magStripe', 'keyed']))
      .optional()
      .meta({ description: 'forceEntryMode' }),
    language: z.string().optional().meta({ description: 'customerLanguage' }),
    debitPreferred: z.boolean().optional(),
    category: z.string().optional().meta({ description: 'merchantCategoryCode' }),
    prefer: z.string().optional().meta({ description: 'async, or a Prefer header' }),
    body: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Fields merged into the request body' }),
    ...sendOptionFields,
  },
  ({ pos }, { pay: asked, as, api, headers, token, ...order }) =>
    pos.pay({ ...order, ...sendOptionsOf({ as, api, headers, token }), amount: Number(asked) }),
);

const again = defineVerb(
  'pay again',
  'The POS repeats a payment request, with the same key and body',
  {
    'pay again': earlierRequestNameSchema,
    amount: amountSchema.optional().meta({ description: 'Changes the amount' }),
    key,
    prefer: z.string().optional(),
    ...sendOptionFields,
  },
  ({ pos, sent }, { 'pay again': of, amount: changed, key: otherKey, prefer, ...step }) =>
    pos.again(sent(of), {
      ...sendOptionsOf(step),
      ...(changed === undefined ? {} : { amount: Number(changed) }),
      ...(otherKey === undefined ? {} : { key: otherKey }),
      ...(prefer === undefined ? {} : { prefer }),
    }),
);

const reference = z.union([
  loneVerbValueSchema,
  earlierRequestNameSchema,
  z.strictObject({ key: z.string() }),
  z.strictObject({ identifier: z.string() }),
  z.strictObject({ of: earlierRequestNameSchema, by: z.enum(['key', 'identifier']) }),
]);

function referenceOf({ sent, latest }: StepContext, to: z.infer<typeof reference>): PaymentReference {
  if (to === true) return { of: latest('payment') };
  if (typeof to === 'string') return { of: sent(to) };
  return 'of' in to ? { of: sent(to.of), by: to.by } : to;
}

const status = defineVerb(
  'ask status',
  'The POS asks for the status of a payment. The POS sends the key of the payment request or, if there was no key, the identifier of the payment',
  {
    'ask status': reference,
    receipts: z.boolean().optional().meta({
      description: "Whether the status contains the receipts; only in Adyen's API; true by default",
    }),
    ...sendOptionFields,
  },
  (actors, { 'ask status': to, receipts, ...step }) =>
    actors.pos.status(referenceOf(actors, to), { ...sendOptionsOf(step), receipts }),
);

const latest = defineVerb(
  'ask latest',
  'The POS asks for the most recent request on a terminal',
  { 'ask latest': loneVerbValueSchema, terminal: terminalNameSchema, ...sendOptionFields },
  ({ pos }, { terminal: at, ...step }) => pos.latest(at, sendOptionsOf(step)),
);

const abort = defineVerb(
  'abort',
  'The POS aborts a payment. The POS sends the key of the payment request or, if there was no key, the identifier of the payment',
  { abort: reference, ...sendOptionFields },
  (actors, { abort: to, ...step }) => actors.pos.abort(referenceOf(actors, to), sendOptionsOf(step)),
);

const abortLatest = defineVerb(
  'abort latest',
  'The POS aborts the most recent request on a terminal',
  { 'abort latest': loneVerbValueSchema, terminal: terminalNameSchema, ...sendOptionFields },
  ({ pos }, { terminal: at, ...step }) => pos.abortLatest(at, sendOptionsOf(step)),
);

const hangUp = defineVerb(
  'hang up',
  "The POS's connection breaks while its request is open",
  { 'hang up': z.union([loneVerbValueSchema, earlierRequestNameSchema]) },
  ({ sent, latest: last }, { 'hang up': of }) => (of === true ? last() : sent(of)).exchange.hangUp(),
);

const call = defineVerb(
  'request',
  'The POS sends any request',
  {
    request: z
      .string()
      .regex(/^(GET|POST|PUT|PATCH|DELETE) [/<h]\S*$/, 'must be a method and a path such as GET /terminals'),
    body: z.unknown().optional(),
    ...sendOptionFields,
  },
  ({ pos }, { request: line, body, ...step }) => {
    const [method = '', path = ''] = line.split(' ');
    return pos.call({ method, path, body }, sendOptionsOf(step));
  },
);

/** The verbs with which the POS makes and follows payments. */
export const posVerbs = [pay, again, status, latest, abort, abortLatest, hangUp, call];
