import { z } from 'zod';
import { requestKinds } from './request-kind.ts';

/** The kinds of sales. `refund` gives back the money of a debit; `cardRefund` gives money to a card at a terminal. */
export const saleKinds = ['payment', 'charge', 'refund', 'link', 'cardRefund'] as const;
export type SaleKind = (typeof saleKinds)[number];

/** The kinds of attempts. A sale of the kind `payment` has reversals among its attempts too. */
const attemptKinds = [...saleKinds, 'reversal'] as const;
export type AttemptKind = (typeof attemptKinds)[number];

/**
 * Whether the point of sale received the outcome. `told`: the network took an answer that has the whole outcome, or a
 * receiver accepted an event that has the outcome. `untold`: the journal shows neither. `unknown`: the journal lacks
 * entries that could show it. `nothing`: there is no outcome yet.
 */
export const outcomeToldStates = ['told', 'untold', 'unknown', 'nothing'] as const;
export type OutcomeToldState = (typeof outcomeToldStates)[number];

/**
 * How a sale ended. `refused`: the gateway answered with a refusal and started no payment. `none`: there is no payment
 * and no refusal.
 */
export const saleOutcomes = ['open', 'success', 'failure', 'refused', 'none'] as const;
export type SaleOutcome = (typeof saleOutcomes)[number];

/** The parts of pinpad that can make a sale without a point of sale. */
export const ownSellers = ['screen', 'console', 'pay'] as const;
export type OwnSeller = (typeof ownSellers)[number];

/**
 * How a request ended. `lost`: the gateway crashed, or the connection was broken by a fault that a test had asked for.
 * `cutOff`: the connection ended in the middle of the answer.
 */
const callEnds = ['open', 'answered', 'hungUp', 'lost', 'cutOff'] as const;
export type CallEnd = (typeof callEnds)[number];

export const beliefWords = ['paid', 'notPaid', 'unknown'] as const;

const time = z.iso.datetime();
const told = z.enum(outcomeToldStates).meta({
  description:
    'Whether the POS received the whole outcome. A POS receives the outcome in a 200 answer to its payment request, to its status request or to its request for the latest payment, or in an event that the receiver acknowledged. `unknown`: the journal does not reach back to the first request. `nothing`: there is no outcome yet',
});

/** One request about a sale, and how it ended. */
const recordedSaleCallSchema = z
  .object({
    requestId: z.string(),
    kind: z.enum(requestKinds),
    method: z.string(),
    /** The path without the query. */
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
    /** The gateway where the call arrived, if there are several gateways. */
    gateway: z.string().nullable(),
  })
  .meta({ id: 'SaleCall', description: 'One request about a sale, and its outcome' });

/** A payment of a sale, a reversal of such a payment, or the sale's debit, refund or credit. */
const saleAttemptSchema = z
  .object({
    kind: z.enum(attemptKinds).meta({
      description:
        '`reversal` gives back money of a payment of the sale, `cardRefund` gives money to a card at a terminal, `refund` gives back money of a debit',
    }),
    original: z.string().nullable().meta({ description: 'The payment that a reversal gives back' }),
    payment: z.string(),
    idempotencyKey: z.string().nullable(),
    terminal: z.string().nullable().meta({ description: "The terminal's poi_id" }),
    /** The requested amount, in major units. */
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
    /**
     * The amount of a successful reversal or card refund is below zero. The amount is null for the refund of a debit
     * and for a payment link.
     */
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

/** The shop's belief about the state of a sale. A test, or a driver of the point of sale, states this belief. */
export const beliefSchema = z
  .object({
    at: time,
    believes: z.enum(beliefWords),
    payment: z.string().nullable(),
    /** The amount in the shop's belief, in major units. */
    amount: z.number().nullable(),
    /** How many times the shop handed out the goods or handled the event; null if the number was not stated. */
    times: z.int().nullable(),
  })
  .meta({ id: 'Belief', description: "The shop's belief about a sale, stated by a test or a driver" });

/** A mistake in a sale. */
const saleFindingSchema = z
  .object({
    /** The name of the rule's section in docs/lint.md or docs/sales.md. `ruleLinkOf` returns a link to that section. */
    rule: z.string(),
    severity: z.enum(['error', 'warning']),
    /** The finding in words. */
    what: z.string(),
    /** How to fix the mistake, in words. */
    fix: z.string(),
    /** How often the mistake was seen. */
    count: z.int(),
  })
  .meta({ id: 'SaleFinding' });

/** Goods that a point of sale tried to sell, and the outcome. Amounts are in major units, times in ISO 8601. */
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
    attempts: z.array(saleAttemptSchema),
    calls: z.array(recordedSaleCallSchema).meta({
      description:
        'The requests about the sale, oldest first. If there are more than 200 requests, the list has only the first 100 and the last 100',
    }),
    /** The number of calls that are left out in the middle of `calls`. */
    callsLeftOut: z.int(),
    callsKnown: z.boolean().meta({
      description:
        'Whether all requests are known; false if the journal does not reach back to the first request of the sale',
    }),
    callsText: z.string().meta({ example: 'POST lost, status ×2' }),
    outcome: z.enum(saleOutcomes).meta({
      description: '`refused`: the gateway refused to make a payment; `none`: no payment, and no refusal',
    }),
    /** The errorCondition of a failure, the status and code of a refusal, or the state of a debit, refund or credit. */
    reason: z.string().nullable(),
    why: z.string().nullable(),
    outcomeText: z.string().meta({ example: 'declined: refusal' }),
    charged: z.number().nullable().meta({
      description:
        'The amount that the customer was charged in all, minus what was reversed and refunded. Below zero if more was given back than charged; null for refunds of debits and for links',
    }),
    told,
    startedAt: time,
    /**
     * The time when the last attempt ended. If there is no attempt, this is the time when the last call ended. The time
     * is null while an attempt or a call is open.
     */
    endedAt: time.nullable(),
    tookMs: z.int().nullable(),
    refundOf: z.string().nullable().meta({ description: 'The sale whose money this refund gives back' }),
    beliefs: z
      .array(beliefSchema)
      .meta({ description: 'The beliefs, oldest first. Only the last belief counts' }),
    findings: z.array(saleFindingSchema),
  })
  .meta({ id: 'Sale', description: 'A sale that a point of sale tried to make, and its outcome' });

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

export type RecordedSaleCall = DeepReadonly<z.infer<typeof recordedSaleCallSchema>>;
export type SaleAttempt = DeepReadonly<z.infer<typeof saleAttemptSchema>>;
export type Belief = DeepReadonly<z.infer<typeof beliefSchema>>;
export type SaleFinding = DeepReadonly<z.infer<typeof saleFindingSchema>>;
export type Sale = DeepReadonly<z.infer<typeof saleSchema>>;
