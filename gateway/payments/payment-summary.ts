import { z } from 'zod';
import { paymentKinds } from '../store/rows/payments.ts';

const time = z.iso.datetime();

/**
 * A payment, reversal or refund as an operator sees it in a list. The list shows who requested the payment, what was
 * requested, and the present state.
 */
export const paymentSummarySchema = z
  .object({
    identifier: z.uuid(),
    kind: z.enum(paymentKinds).meta({
      description:
        'The kind of request to the terminal. A reversal gives back a payment, and a refund pays money to a card',
    }),
    original: z.uuid().nullable().meta({ description: 'The payment that a reversal gives back' }),
    accountId: z.string(),
    environment: z.enum(['sandbox', 'production']),
    terminalId: z.uuid(),
    poiId: z
      .string()
      .nullable()
      .meta({ description: 'The poi_id of the terminal; null if the terminal was deleted' }),
    amount: z.number().meta({ description: 'The requested amount, in major units' }),
    tip: z.number().nullable().meta({
      description:
        'The tip that the cardholder added; null for a reversal or refund, and for a payment that did not succeed',
    }),
    total: z.number().nullable().meta({
      description:
        'The amount that the cardholder was charged (with the tip) or got back; null if the payment, reversal or refund did not succeed',
    }),
    givenBack: z.number().meta({
      description:
        'The sum that the reversals of the payment give back, including reversals that are still open',
    }),
    currency: z.string(),
    idempotencyKey: z.string().nullable(),
    saleReferenceId: z.string().nullable(),
    state: z.enum(['accepted', 'delivered', 'onTerminal', 'concluded']),
    acceptedAt: time,
    deliveredAt: time.nullable(),
    abortRequestedAt: time.nullable(),
    deadlineAt: time.nullable().meta({
      description: 'The time when the gateway gives up the payment, if the terminal of the payment is lost',
    }),
    concludedAt: time.nullable(),
    result: z.enum(['success', 'failure']).nullable(),
    errorCondition: z.string().nullable(),
    reason: z.string().nullable().meta({ description: 'The reason for the outcome, as in the journal' }),
  })
  .meta({ id: 'PaymentSummary' });
export type PaymentSummary = z.infer<typeof paymentSummarySchema>;
