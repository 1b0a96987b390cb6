import type { RequestKind } from './request-kind.ts';

/** The kinds of sales. `refund` gives back the money of a debit; `cardRefund` gives money to a card at a terminal. */
export const saleKinds = ['payment', 'charge', 'refund', 'link', 'cardRefund'] as const;
export type SaleKind = (typeof saleKinds)[number];

/** The kinds of attempts. A sale of the kind `payment` has reversals among its attempts too. */
export const attemptKinds = [...saleKinds, 'reversal'] as const;
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
export const callEnds = ['open', 'answered', 'hungUp', 'lost', 'cutOff'] as const;
export type CallEnd = (typeof callEnds)[number];

/** One request about a sale, and how it ended. */
export interface RecordedSaleCall {
  readonly requestId: string;
  readonly kind: RequestKind;
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly at: string;
  readonly endedAt: string | null;
  readonly end: CallEnd;
  readonly status: number | null;
  /** The error's code, if the call was refused. */
  readonly error: string | null;
  readonly idempotencyKey: string | null;
  /** The payment, debit, refund or credit that the call was about, if that is known. */
  readonly payment: string | null;
  /** Whether the network took the call's whole answer and the answer contained an outcome. */
  readonly told: boolean;
  /** The gateway where the call arrived, if there are several gateways. */
  readonly gateway: string | null;
}

/** A payment of a sale, a reversal of such a payment, or the sale's debit, refund or credit. */
export interface SaleAttempt {
  readonly kind: AttemptKind;
  /** For a reversal: the payment whose money the reversal gives back. */
  readonly original: string | null;
  readonly payment: string;
  readonly idempotencyKey: string | null;
  readonly terminal: string | null;
  /** The requested amount, in major units. */
  readonly amount: number | null;
  readonly tip: number | null;
  readonly acceptedAt: string | null;
  readonly concludedAt: string | null;
  readonly outcome: 'open' | 'success' | 'failure';
  /** The errorCondition of a failed payment, or the state of a debit, refund or credit. */
  readonly reason: string | null;
  readonly why: string | null;
  /**
   * The amount that the issuer charged, minus the amount that the issuer gave back. The amount of a successful reversal
   * or card refund is below zero. The amount is null for the refund of a debit and for a payment link.
   */
  readonly charged: number | null;
  readonly told: OutcomeToldState;
}

export const beliefWords = ['paid', 'notPaid', 'unknown'] as const;

/** The shop's belief about the state of a sale. A test, or a driver of the point of sale, states this belief. */
export interface Belief {
  readonly at: string;
  readonly believes: (typeof beliefWords)[number];
  readonly payment: string | null;
  /** The amount in the shop's belief, in major units. */
  readonly amount: number | null;
  /**
   * The number of times that goods were handed out, or that an event was handled; null if the number was not stated.
   */
  readonly times: number | null;
}

/** A mistake in a sale. */
export interface SaleFinding {
  /** The name of the rule's section in docs/lint.md or docs/sales.md. `ruleLinkOf` returns a link to that section. */
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  /** The finding in words. */
  readonly what: string;
  /** How to fix the mistake, in words. */
  readonly fix: string;
  /** How often the mistake was seen. */
  readonly count: number;
}

/** Goods that a point of sale tried to sell, and the outcome. Amounts are in major units, times in ISO 8601. */
export interface Sale {
  /** An opaque identifier. */
  readonly saleId: string;
  readonly kind: SaleKind;
  readonly accountId: string | null;
  /** The poi_id of the terminal that the sale used last. */
  readonly terminal: string | null;
  readonly saleReferenceId: string | null;
  /** The sale's latest idempotency key. */
  readonly idempotencyKey: string | null;
  readonly own: OwnSeller | null;
  /** The requested amount of the latest attempt, or of the latest request if there is no attempt. */
  readonly amount: number | null;
  readonly tip: number | null;
  /** The sum of amount and tip. */
  readonly total: number | null;
  readonly currency: string | null;
  readonly attempts: readonly SaleAttempt[];
  readonly calls: readonly RecordedSaleCall[];
  /** The number of calls that are left out in the middle of `calls`. */
  readonly callsLeftOut: number;
  /** False if the journal does not reach back to the sale's first request. */
  readonly callsKnown: boolean;
  /** The calls in words, for example `POST lost, status ×2`. */
  readonly callsText: string;
  readonly outcome: SaleOutcome;
  /** The errorCondition of a failure, the status and code of a refusal, or the state of a debit, refund or credit. */
  readonly reason: string | null;
  readonly why: string | null;
  /** The outcome in words, for example `approved` or `declined: refusal`; `approved ×2` if the customer paid twice. */
  readonly outcomeText: string;
  /**
   * The amount that the customer was charged in all, minus the amount that was reversed and refunded. It is below zero
   * if more money was given back than charged.
   */
  readonly charged: number | null;
  readonly told: OutcomeToldState;
  readonly startedAt: string;
  /**
   * The time when the last attempt ended. If there is no attempt, this is the time when the last call ended. The time
   * is null while an attempt or a call is open.
   */
  readonly endedAt: string | null;
  readonly tookMs: number | null;
  /** For a refund: the sale of the debit whose money the refund gives back. */
  readonly refundOf: string | null;
  /** The beliefs in order, the latest last. */
  readonly beliefs: readonly Belief[];
  readonly findings: readonly SaleFinding[];
}
