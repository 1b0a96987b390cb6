import { z } from 'zod';
import { requestKinds } from '../../shared/sales/request-kind.ts';
import {
  attemptKinds,
  beliefWords,
  callEnds,
  outcomeToldStates,
  ownSellers,
  type Sale,
  saleKinds,
  saleOutcomes,
} from '../../shared/sales/sale.ts';

const time = z.iso.datetime();
const told = z.enum(outcomeToldStates).meta({
  description:
    'Whether the POS received the whole outcome. A POS receives the outcome in a 200 answer to its payment request, to its status request or to its request for the latest payment, or in an event that the receiver acknowledged. `unknown`: the journal does not reach back to the first request. `nothing`: there is no outcome yet',
});

const call = z
  .object({
    requestId: z.string(),
    kind: z.enum(requestKinds),
    method: z.string(),
    path: z.string(),
    at: time,
    endedAt: time.nullable(),
    end: z.enum(callEnds).meta({
      description:
        '`lost`: the connection was broken by a fault, which was set by a test; `cutOff`: the connection ended in the middle of the answer',
    }),
    status: z.int().nullable(),
    error: z.string().nullable().meta({ description: 'The code of the error, if the request was refused' }),
    idempotencyKey: z.string().nullable(),
    payment: z
      .string()
      .nullable()
      .meta({ description: 'The payment, debit, refund or credit that the request was about' }),
    told: z.boolean().meta({ description: 'Whether an answer with an outcome was sent in full' }),
    gateway: z.string().nullable(),
  })
  .meta({ id: 'SaleCall', description: 'One request about a sale, and its outcome' });

const attempt = z
  .object({
    kind: z.enum(attemptKinds).meta({
      description:
        '`reversal` gives back money of a payment of the sale, `cardRefund` gives money to a card at a terminal, `refund` gives back money of a debit',
    }),
    original: z.string().nullable().meta({ description: 'The payment that a reversal gives back' }),
    payment: z.string(),
    idempotencyKey: z.string().nullable(),
    terminal: z.string().nullable().meta({ description: "The terminal's poi_id" }),
    amount: z.number().nullable(),
    tip: z.number().nullable(),
    acceptedAt: time.nullable(),
    concludedAt: time.nullable(),
    outcome: z.enum(['open', 'success', 'failure']),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'The errorCondition, or the state of a debit, refund or credit' }),
    why: z.string().nullable(),
    charged: z.number().nullable().meta({
      description:
        'The amount charged, minus what was reversed and refunded; below zero if more was given back than charged',
    }),
    told,
  })
  .meta({
    id: 'SaleAttempt',
    description:
      'One payment of a sale, a reversal or refund of such a payment, or the debit, refund or credit that is the whole sale',
  });

const belief = z
  .object({
    at: time,
    believes: z.enum(beliefWords),
    payment: z.string().nullable(),
    amount: z.number().nullable(),
    times: z.int().nullable(),
  })
  .meta({ id: 'Belief', description: "The shop's belief about a sale, stated by a test or a driver" });

const finding = z
  .object({
    rule: z.string(),
    severity: z.enum(['error', 'warning']),
    what: z.string(),
    fix: z.string(),
    count: z.int(),
  })
  .meta({ id: 'SaleFinding' });

export const saleSchema = z
  .object({
    saleId: z.string().meta({ description: 'An opaque identifier' }),
    kind: z.enum(saleKinds),
    accountId: z.string().nullable(),
    terminal: z
      .string()
      .nullable()
      .meta({ description: 'The poi_id of the terminal that the sale used last' }),
    saleReferenceId: z.string().nullable(),
    idempotencyKey: z.string().nullable().meta({ description: 'The latest key' }),
    own: z
      .enum(ownSellers)
      .nullable()
      .meta({ description: 'The part of pinpad that made the sale; null if a POS made it' }),
    amount: z.number().nullable().meta({ description: 'The latest requested amount, in major units' }),
    tip: z.number().nullable(),
    total: z.number().nullable().meta({ description: 'Amount and tip' }),
    currency: z.string().nullable(),
    attempts: z.array(attempt),
    calls: z.array(call).meta({
      description:
        'The requests about the sale, oldest first. If there are more than 200 requests, the list has only the first 100 and the last 100',
    }),
    callsLeftOut: z.int(),
    callsKnown: z.boolean().meta({
      description:
        'Whether all requests are known; false if the journal does not reach back to the first request of the sale',
    }),
    callsText: z.string().meta({ example: 'POST lost, status ×2' }),
    outcome: z.enum(saleOutcomes).meta({
      description: '`refused`: the gateway refused to make a payment; `none`: no payment, and no refusal',
    }),
    reason: z.string().nullable(),
    why: z.string().nullable(),
    outcomeText: z.string().meta({ example: 'declined: refusal' }),
    charged: z.number().nullable().meta({
      description:
        'The amount that the customer was charged in all, minus what was reversed and refunded. Below zero if more was given back than charged; null for refunds of debits and for links',
    }),
    told,
    startedAt: time,
    endedAt: time.nullable(),
    tookMs: z.int().nullable(),
    refundOf: z.string().nullable().meta({ description: 'The sale whose money this refund gives back' }),
    beliefs: z.array(belief).meta({ description: 'The beliefs, oldest first. Only the last belief counts' }),
    findings: z.array(finding),
  })
  .meta({ id: 'Sale', description: 'A sale that a point of sale tried to make, and its outcome' });

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
    beliefs: z.array(belief).meta({ description: 'The beliefs, oldest first. Only the last belief counts' }),
  })
  .meta({ id: 'StatedBelief' });

export const exampleBeliefExchange = {
  body: { saleReferenceId: 'order-1001', believes: 'paid', amount: 28.05, times: 1 },
  answer: {
    saleId: '01b2f3a4-9000-7000-8000-00000000000a',
    beliefs: [{ at: '2026-01-01T09:00:10.000Z', believes: 'paid', payment: null, amount: 28.05, times: 1 }],
  },
};
