import { z } from 'zod';
import { ScenarioError } from '../environment/scenario-context.ts';
import { amountOrAllSchema, earlierRequestNameSchema, terminalNameSchema } from '../format/values.ts';
import { findDebitOrPaymentRequest } from './saved-cards.ts';
import { sendOptionFields, sendOptionsOf } from './sending.ts';
import { defineVerb, type StepContext } from './verb.ts';

/** The fields of steps that give money back at a terminal. No other step has these fields. */
const atTerminal = {
  currency: z
    .string()
    .optional()
    .meta({ description: 'The currency; the request is refused if the payment has another currency' }),
  key: z.string().optional().meta({ description: "Idempotency-Key; in Adyen's API the ServiceID" }),
  language: z.string().optional().meta({ description: 'The language of screens and receipt' }),
  terminal: terminalNameSchema,
};

const refund = defineVerb(
  'refund',
  "The POS refunds a debit or, in Adyen's API, gives money back at the terminal",
  {
    refund: amountOrAllSchema,
    of: earlierRequestNameSchema.optional().meta({
      description:
        "The debit to refund; by default the latest debit. In Adyen's API, the payment to reverse; without a payment, the money goes to the card that is presented",
    }),
    reason: z.string().optional(),
    details: z.string().optional(),
    ...atTerminal,
    reference: z.string().optional().meta({ description: "In Adyen's API: SaleTransactionID" }),
    body: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: "In Adyen's API: fields that replace fields of the request" }),
    ...sendOptionFields,
  },
  (actors, { refund: asked, of, reason, details, as, api, headers, token, ...given }) => {
    const how = sendOptionsOf({ as, api, headers, token });
    const original = of === undefined ? undefined : actors.sent(of);
    if (how.api === 'adyen' || original?.adyen) {
      only('a debit', { reason, details });
      const amount = amountOf(asked, of);
      return actors.pos.giveBack({ of: original, amount, ...given, ...how, api: 'adyen' });
    }
    only('a refund at a terminal', given);
    if (asked === 'all')
      throw new ScenarioError('the payments API cannot refund `all`: give an amount, such as `refund: 10`');
    return actors.pos.refund(
      findDebitOrPaymentRequest(actors, of),
      { amount: Number(asked), reason: reason ?? 'customer_request', reason_details: details },
      how,
    );
  },
);

const refundAtTerminal = defineVerb(
  'refund at the terminal',
  'The operator gives money back at a terminal. The scenario continues while the request waits for its answer',
  {
    'refund at the terminal': amountOrAllSchema,
    of: earlierRequestNameSchema.optional().meta({
      description: 'The payment to reverse; without a payment, the money goes to the card that is presented',
    }),
    ...atTerminal,
    as: sendOptionFields.as,
    headers: sendOptionFields.headers,
    token: sendOptionFields.token,
  },
  ({ pos, sent }: StepContext, { 'refund at the terminal': asked, of, ...step }) =>
    pos.giveBack({
      ...step,
      amount: amountOf(asked, of),
      ...(of !== undefined && { of: sent(of) }),
    }),
);

/** Returns the amount as a number. Undefined stands for all that is left of the payment. */
function amountOf(asked: number | string, of: string | undefined): number | undefined {
  if (asked !== 'all') return Number(asked);
  if (of === undefined)
    throw new ScenarioError('`all` gives back what is left of a payment: name the payment with `of`');
  return undefined;
}

function only(what: string, fields: Record<string, unknown>): void {
  const [name] = Object.entries(fields).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined) throw new ScenarioError(`${name} can only be given for ${what}`);
}

/** The verbs with which the POS or the terminal gives money back. */
export const givingBackVerbs = [refund, refundAtTerminal];
