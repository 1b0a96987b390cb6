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
        'The kind of request to the terminal. A reversal gives back a payment, a refund pays to a card',
    }),
    original: z.uuid().nullable().meta({ description: 'The payment that a reversal gives back' }),
    accountId: z.string(),
    environment: z.enum(['sandbox', 'production']),
    terminalId: z.uuid(),
    poiId: z.string().nullable().meta({ description: 'Null if the terminal was deleted' }),
    amount: z.number().meta({ description: 'The requested amount, in major units' }),
    tip: z.number().nullable().meta({
      description: 'The tip that the cardholder added; null unless it is a payment that succeeded',
    }),
    total: z.number().nullable().meta({
      description:
        'The amount that the cardholder was charged, tip included, or got back; null unless it succeeded',
    }),
    givenBack: z.number().meta({
      description:
        'The amount that reversals give back of a payment, including reversals that are still open',
    }),
    currency: z.string(),
    idempotencyKey: z.string().nullable(),
    saleReferenceId: z.string().nullable(),
    state: z.enum(['accepted', 'delivered', 'onTerminal', 'concluded']),
    acceptedAt: time,
    deliveredAt: time.nullable(),
    abortRequestedAt: time.nullable(),
    deadlineAt: time
      .nullable()
      .meta({ description: 'The time when a payment whose terminal is lost is given up' }),
    concludedAt: time.nullable(),
    result: z.enum(['success', 'failure']).nullable(),
    errorCondition: z.string().nullable(),
    reason: z.string().nullable().meta({ description: 'The reason for the outcome, as in the journal' }),
  })
  .meta({ id: 'PaymentSummary' });
export type PaymentSummary = z.infer<typeof paymentSummarySchema>;
