import type { RequestKind } from './request-kind.ts';

/** `refund` gives back a debit; `cardRefund` gives money to a card at a terminal. */
export const saleKinds = ['payment', 'charge', 'refund', 'link', 'cardRefund'] as const;
export type SaleKind = (typeof saleKinds)[number];

/** The kinds of attempts. The attempts of a payment's sale include reversals of the payment. */
export const attemptKinds = [...saleKinds, 'reversal'] as const;
export type AttemptKind = (typeof attemptKinds)[number];

/**
 * Whether the point of sale received the outcome. `told`: the network took the whole outcome while the connection was
 * open. `untold`: it did not, as far as the journal shows. `unknown`: the journal does not reach back that far.
 * `nothing`: there is no outcome yet.
 */
export const toldStates = ['told', 'untold', 'unknown', 'nothing'] as const;
export type ToldState = (typeof toldStates)[number];

/**
 * How a sale ended. `refused`: the gateway answered with a refusal and started no payment. `none`: there is no payment
 * and no refusal.
 */
export const saleOutcomes = ['open', 'success', 'failure', 'refused', 'none'] as const;
export type SaleOutcome = (typeof saleOutcomes)[number];

/** The part of pinpad that made a sale itself, instead of a point of sale. */
export const ownSellers = ['screen', 'console', 'pay'] as const;
export type OwnSeller = (typeof ownSellers)[number];

/**
 * How a request ended. `lost`: a fault that a test set broke the connection. `cutOff`: that happened in the middle of
 * the answer.
 */
export const callEnds = ['open', 'answered', 'hungUp', 'lost', 'cutOff'] as const;
export type CallEnd = (typeof callEnds)[number];

/** One request about a sale, and how it ended. */
export interface SaleCall {
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
  /** Whether the network took a whole outcome with the call's answer. */
  readonly told: boolean;
  /** The gateway where the call arrived, if there are several. */
  readonly gateway: string | null;
}

/** A payment of a sale, a reversal of one, or the debit, refund or credit that the sale consists of. */
export interface SaleAttempt {
  readonly kind: AttemptKind;
  /** For a reversal: the payment whose money it gives back. */
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
  /** The errorCondition of a failure, or else the state. */
  readonly reason: string | null;
  readonly why: string | null;
  /**
   * The amount that the issuer charged, minus what it gave back. If the issuer only gave money back, it is below zero.
   * Null for a debit's refund and a payment link.
   */
  readonly charged: number | null;
  readonly told: ToldState;
}

export const beliefWords = ['paid', 'notPaid', 'unknown'] as const;

/** The belief of the shop about the state of a sale, as a test or a driver stated it. */
export interface Belief {
  readonly at: string;
  readonly believes: (typeof beliefWords)[number];
  readonly payment: string | null;
  /** The amount in the shop's belief, in major units. */
  readonly amount: number | null;
  /** How often goods were handed out or an event was acted on, if that was stated. */
  readonly times: number | null;
}

/** A mistake in a sale. */
export interface SaleFinding {
  /** The name of the rule's section in docs/lint.md or docs/sales.md, to which `linkOf` leads. */
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
  readonly calls: readonly SaleCall[];
  /** The number of calls that are left out of the middle of the list. */
  readonly callsLeftOut: number;
  /** False if the journal does not reach back to the sale's first request. */
  readonly callsKnown: boolean;
  /** The calls in words, for example `POST lost, status ×2`. */
  readonly callsText: string;
  readonly outcome: SaleOutcome;
  /** The errorCondition of a failure, the status and code of a refusal, or the state of an open sale. */
  readonly reason: string | null;
  readonly why: string | null;
  /** The outcome in words, for example `approved` or `declined: refusal`; `approved ×2` if the customer paid twice. */
  readonly outcomeText: string;
  /**
   * The amount that the customer was charged in all, minus what was reversed and refunded. It is below zero if more was
   * given back.
   */
  readonly charged: number | null;
  readonly told: ToldState;
  readonly startedAt: string;
  /** The time when the last attempt or call ended, or null while one is open. */
  readonly endedAt: string | null;
  readonly tookMs: number | null;
  /** The sale that a refund gives back. */
  readonly refundOf: string | null;
  /** The beliefs in order, the latest last. */
  readonly beliefs: readonly Belief[];
  readonly findings: readonly SaleFinding[];
}
