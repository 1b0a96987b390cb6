import { beginsAtTerminal, type RequestKind } from './request-kind.ts';
import type { AttemptKind, Belief, CallEnd, OwnSeller, SaleFinding, SaleKind } from './sale.ts';

/**
 * At most this many calls are kept for each sale: half of them are the sale's first calls, and half are its last calls.
 */
const mostCalls = 200;

/** The internal form of a call, with times in epoch milliseconds. */
export interface CallRecord {
  readonly requestId: string;
  readonly kind: RequestKind;
  readonly method: string;
  readonly path: string;
  readonly at: number;
  readonly accountId: string;
  readonly key?: string;
  readonly terminal?: string;
  readonly amount?: number;
  /** For a reversal: the host's reference of the payment whose money the reversal gives back. */
  readonly original?: string;
  readonly gateway?: string;
  endedAt?: number;
  end: CallEnd;
  status?: number;
  error?: string;
  /** If the call belongs to an API other than the payments API: that API's word for the status. */
  as?: string;
  payment?: string;
  /**
   * The payments whose outcome is in the call's answer. The list is empty once it is known whether the network took the
   * whole answer.
   */
  telling: readonly string[];
  told: boolean;
}

/**
 * The internal form of a payment, reversal, debit, refund or credit, with amounts in minor units and times in epoch
 * milliseconds.
 */
export interface AttemptRecord {
  kind: AttemptKind;
  readonly payment: string;
  readonly acceptedAt: number;
  key?: string;
  terminal?: string;
  amount?: number;
  currency?: string;
  concludedAt?: number;
  outcome: 'open' | 'success' | 'failure';
  reason?: string;
  why?: string;
  /** For a reversal: the payment whose money the reversal gives back. */
  original?: string;
  /** The host's reference of the authorization. */
  pspReference?: string;
  /** The amount authorized or captured, minus the amount reversed. */
  moved: number;
  /** The amount given back: from a debit, or by a reversal or a refund. */
  refunded: number;
  told: boolean;
  /**
   * Whether the journal has the request that made this attempt. If so, the journal has all answers about the attempt
   * too.
   */
  known: boolean;
  /** Whether the operator asked for the attempt over the control API. If so, no point of sale waits for the outcome. */
  ofOperator?: true;
  /**
   * Whether the gateway crashed while the attempt was open. If so, the journal may lack later events of the attempt,
   * but the store has the attempt's state.
   */
  gap?: true;
}

/** Whether an attempt of this kind gives money to the customer, at a terminal. */
export function givesBack(kind: AttemptKind): kind is 'reversal' | 'cardRefund' {
  return kind === 'reversal' || kind === 'cardRefund';
}

/** The internal form of a sale. */
export class SaleRecord {
  readonly kind: SaleKind;
  startedAt: number;
  /** Undefined until it is known whether the sale's first request started a payment. */
  saleId: string | undefined;
  accountId: string | undefined;
  reference: string | undefined;
  own: OwnSeller | undefined;
  refundOf: SaleRecord | undefined;
  /** For a refund: the debit whose money the refund gives back, if the sale of that debit is not kept. */
  debit: string | undefined;
  readonly attempts: AttemptRecord[] = [];
  /** The calls in the order in which they came. */
  readonly calls: CallRecord[] = [];
  callsLeftOut = 0;
  readonly beliefs: Belief[] = [];
  /**
   * For a debit: the amount that each of its refunds gave back, in minor units. The amount is 0 if the refund is open or
   * failed.
   */
  readonly refunds = new Map<string, number>();
  /** The ids of the reversals, card refunds and refunds that had begun when the latest belief was stated. */
  givenBackThen: ReadonlySet<string> = new Set();
  crowded: SaleFinding | undefined;
  foundByOthers: readonly SaleFinding[] = [];
  /** The names by which the sale is found. */
  readonly names = new Set<string>();

  constructor(kind: SaleKind, startedAt: number) {
    this.kind = kind;
    this.startedAt = startedAt;
  }

  /** Adds a call. If the sale now has too many calls, removes a call from the middle and returns the removed call. */
  addCall(call: CallRecord): CallRecord | undefined {
    const at = this.calls.findLastIndex((each) => each.at <= call.at);
    this.calls.splice(at + 1, 0, call);
    if (this.calls.length <= mostCalls) return undefined;
    this.callsLeftOut++;
    return this.calls.splice(mostCalls / 2, 1)[0];
  }

  removeCall(call: CallRecord): void {
    const at = this.calls.indexOf(call);
    if (at >= 0) this.calls.splice(at, 1);
  }

  get isEmpty(): boolean {
    return this.calls.length + this.attempts.length === 0;
  }

  get isOpen(): boolean {
    return (
      this.attempts.some(({ outcome }) => outcome === 'open') || this.calls.some(({ end }) => end === 'open')
    );
  }

  get callsKnown(): boolean {
    return this.attempts.every(({ known }) => known);
  }

  /** The amount in the latest request, in major units. */
  get asked(): number | undefined {
    return this.calls.findLast(({ kind, amount }) => kind !== 'reversal' && amount !== undefined)?.amount;
  }

  /**
   * The attempts that determine the sale's outcome and amount. Reversals and card refunds do so only if the sale has no
   * other attempts.
   */
  get paying(): readonly AttemptRecord[] {
    const payments = this.attempts.filter(({ kind }) => !givesBack(kind));
    return payments.length > 0 ? payments : this.attempts;
  }

  /** Whether the sale only gives money to a card, and takes no payment. */
  get isCardRefund(): boolean {
    if (this.attempts.length > 0) return this.attempts.every(({ kind }) => kind === 'cardRefund');
    const begun = this.calls.filter(({ kind }) => beginsAtTerminal(kind));
    return begun.length > 0 && begun.every(({ kind }) => kind === 'cardRefund');
  }

  /**
   * The time when the point of sale was last active in the sale: the latest of the sale's start, its last call and the
   * acceptance of its last attempt, in epoch milliseconds. Reversals do not count, so a reversal that comes days later
   * does not prolong the sale.
   */
  get lastCallAt(): number {
    const call = this.calls.findLast(({ kind }) => kind !== 'reversal');
    const attempt = this.attempts.findLast(({ kind }) => kind !== 'reversal');
    return Math.max(this.startedAt, call?.at ?? 0, attempt?.acceptedAt ?? 0);
  }
}
