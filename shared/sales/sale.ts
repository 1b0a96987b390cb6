import type { RequestKind } from './request-kind.ts';

/** `refund` is one of a debit, `cardRefund` gives money to a card at a terminal. */
export const saleKinds = ['payment', 'charge', 'refund', 'link', 'cardRefund'] as const;
export type SaleKind = (typeof saleKinds)[number];

/** A sale of a payment has what was given back of it, too. */
export const attemptKinds = [...saleKinds, 'reversal'] as const;
export type AttemptKind = (typeof attemptKinds)[number];

/**
 * Whether an outcome was given whole to the network while the connection was open. `untold`: it was not, as far as the journal
 * shows; `unknown`: the journal does not reach back that far; `nothing`: there is no outcome yet.
 */
export const toldStates = ['told', 'untold', 'unknown', 'nothing'] as const;
export type Told = (typeof toldStates)[number];

/** `refused`: the gateway made no payment of it and said so; `none`: no payment, and nothing said. */
export const saleOutcomes = ['open', 'success', 'failure', 'refused', 'none'] as const;
export type SaleOutcome = (typeof saleOutcomes)[number];

/** Who of pinpad rang a sale up, where it was no point of sale. */
export const ownSellers = ['screen', 'console', 'pay'] as const;
export type OwnSeller = (typeof ownSellers)[number];

/** What became of a request: `lost` where a fault that a test set broke the connection, `cutOff` in the middle of its answer. */
export const callEnds = ['open', 'answered', 'hungUp', 'lost', 'cutOff'] as const;
export type CallEnd = (typeof callEnds)[number];

/** One request about a sale, and what became of it. */
export interface SaleCall {
  readonly requestId: string;
  readonly kind: RequestKind;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly at: string;
  readonly endedAt: string | null;
  readonly end: CallEnd;
  readonly status: number | null;
  /** The error's code, where it was refused. */
  readonly error: string | null;
  readonly idempotencyKey: string | null;
  /** The payment, debit, refund or credit that it was about, where that is known. */
  readonly payment: string | null;
  /** It gave an outcome whole to the network. */
  readonly told: boolean;
  /** Where it arrived, where there are several gateways. */
  readonly gateway: string | null;
}

/** One payment of a sale, what was given back of it, or the debit, refund or credit that it is. */
export interface SaleAttempt {
  readonly kind: AttemptKind;
  /** Of a reversal: the payment whose money it gives back. */
  readonly original: string | null;
  readonly payment: string;
  readonly idempotencyKey: string | null;
  readonly terminal: string | null;
  /** Asked for, in major units. */
  readonly amount: number | null;
  readonly tip: number | null;
  readonly acceptedAt: string | null;
  readonly concludedAt: string | null;
  readonly outcome: 'open' | 'success' | 'failure';
  /** The errorCondition or the state. */
  readonly reason: string | null;
  readonly why: string | null;
  /** What the issuer moved and did not take back: below zero where it gave money back; null of a debit's refund and a payment link. */
  readonly charged: number | null;
  readonly told: Told;
}

export const beliefWords = ['paid', 'notPaid', 'unknown'] as const;

/** What the shop takes the sale for, as a test or a driver said it. */
export interface Belief {
  readonly at: string;
  readonly believes: (typeof beliefWords)[number];
  readonly payment: string | null;
  /** In major units, where it was said. */
  readonly amount: number | null;
  /** How often goods were handed out, or an event was acted on, where it was said. */
  readonly times: number | null;
}

/** Something about a sale that is wrong. */
export interface SaleFinding {
  /** Its section in docs/lint.md or docs/sales.md, which `linkOf` names. */
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  /** What was seen. */
  readonly what: string;
  /** What to do. */
  readonly fix: string;
  /** How often it was seen. */
  readonly count: number;
}

/** What a point of sale tried to sell, and what became of it. Amounts are in major units, moments in ISO 8601. */
export interface Sale {
  /** Opaque. */
  readonly saleId: string;
  readonly kind: SaleKind;
  readonly accountId: string | null;
  /** The latest terminal's poi_id. */
  readonly terminal: string | null;
  readonly saleReferenceId: string | null;
  /** The latest. */
  readonly idempotencyKey: string | null;
  readonly own: OwnSeller | null;
  /** Asked for in the latest attempt, or in the latest request where there is none. */
  readonly amount: number | null;
  readonly tip: number | null;
  /** Amount and tip. */
  readonly total: number | null;
  readonly currency: string | null;
  readonly attempts: readonly SaleAttempt[];
  readonly calls: readonly SaleCall[];
  /** So many calls of the middle are left out of the list. */
  readonly callsLeftOut: number;
  /** False where the journal does not reach back to its first request. */
  readonly callsKnown: boolean;
  /** `POST lost, status ×2` */
  readonly callsText: string;
  readonly outcome: SaleOutcome;
  /** The errorCondition of a failure, status and code of a refusal, the state of what is open. */
  readonly reason: string | null;
  readonly why: string | null;
  /** `approved`, `declined: refusal`; `approved ×2` where it was paid twice */
  readonly outcomeText: string;
  /** What the customer was charged in all, net of what was reversed and refunded: below zero where more was given back. */
  readonly charged: number | null;
  readonly told: Told;
  readonly startedAt: string;
  /** When its last attempt or call was over; null while one is open. */
  readonly endedAt: string | null;
  readonly tookMs: number | null;
  /** The sale that a refund gives back. */
  readonly refundOf: string | null;
  /** The latest last. */
  readonly beliefs: readonly Belief[];
  readonly findings: readonly SaleFinding[];
}
