import { z } from 'zod';
import { beliefSchema, beliefWords, type Sale } from '../../shared/sales/sale.ts';

export const exampleSale = {
  saleId: '01b2f3a4-9000-7000-8000-00000000000a',
  kind: 'payment',
  accountId: 'demo-shop',
  terminal: 'V400m-100000001',
  saleReferenceId: 'order-1001',
  idempotencyKey: 'sale-7KQ2',
  own: null,
  amount: 25.5,
  tip: 2.55,
  total: 28.05,
  currency: 'EUR',
  attempts: [
    {
      kind: 'payment',
      original: null,
      payment: '01b2f3a4-9000-7000-8000-00000000000a',
      idempotencyKey: 'sale-7KQ2',
      terminal: 'V400m-100000001',
      amount: 25.5,
      tip: 2.55,
      acceptedAt: '2026-01-01T09:00:00.000Z',
      concludedAt: '2026-01-01T09:00:09.000Z',
      outcome: 'success',
      reason: null,
      why: 'the terminal answers approved',
      charged: 28.05,
      told: 'told',
    },
  ],
  calls: [
    {
      requestId: '01b2f3a4-9000-7000-8000-000000000001',
      kind: 'payment',
      method: 'POST',
      path: '/terminals/01b2f3a4-1c00-7000-8000-000000000003/payment-request',
      at: '2026-01-01T09:00:00.000Z',
      endedAt: '2026-01-01T09:00:09.000Z',
      end: 'answered',
      status: 200,
      error: null,
      idempotencyKey: 'sale-7KQ2',
      payment: '01b2f3a4-9000-7000-8000-00000000000a',
      told: true,
      gateway: null,
    },
  ],
  callsLeftOut: 0,
  callsKnown: true,
  callsText: 'POST',
  outcome: 'success',
  reason: null,
  why: 'the terminal answers approved',
  outcomeText: 'approved',
  charged: 28.05,
  told: 'told',
  startedAt: '2026-01-01T09:00:00.000Z',
  endedAt: '2026-01-01T09:00:09.000Z',
  tookMs: 9000,
  refundOf: null,
  beliefs: [],
  findings: [],
} as const satisfies Sale;

/** The maximum size of a stated belief, in bytes. */
export const maxBeliefBytes = 8_000;

const name = z.string().min(1).max(1000);

export const beliefBodySchema = z
  .object({
    saleReferenceId: name.optional(),
    idempotencyKey: name.optional(),
    payment: name.optional().meta({ description: 'The identifier of a payment or a debit' }),
    accountId: name.optional().meta({
      description: 'The account of the sale; needed if sales of several accounts match the request',
    }),
    believes: z.enum(beliefWords),
    amount: z.number().min(0).max(99_999_999.99).optional().meta({
      description: 'The amount that the shop believes was paid, in major units, minus the refunds',
    }),
    times: z.int().min(0).max(1000).optional().meta({
      description: 'The number of times that goods were handed out, or that the shop acted on an event',
    }),
  })
  .refine((body) => body.saleReferenceId ?? body.idempotencyKey ?? body.payment, {
    message: 'name the sale by saleReferenceId, idempotencyKey or payment',
  })
  .meta({ id: 'BeliefInput', description: "The shop's belief about a sale" });

export const statedBeliefAnswerSchema = z
  .object({
    saleId: z.string(),
    beliefs: z
      .array(beliefSchema)
      .meta({ description: 'The beliefs, oldest first. Only the last belief counts' }),
  })
  .meta({ id: 'StatedBelief' });

export const exampleBeliefExchange = {
  body: { saleReferenceId: 'order-1001', believes: 'paid', amount: 28.05, times: 1 },
  answer: {
    saleId: '01b2f3a4-9000-7000-8000-00000000000a',
    beliefs: [{ at: '2026-01-01T09:00:10.000Z', believes: 'paid', payment: null, amount: 28.05, times: 1 }],
  },
};
