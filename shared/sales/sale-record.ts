import { beginsAtTerminal, type RequestKind } from './request-kind.ts';
import type { AttemptKind, Belief, CallEnd, OwnSeller, SaleFinding, SaleKind } from './sale.ts';

/** As many calls of one sale are kept: the first half and the last. */
const mostCalls = 200;

/** A call as it is kept: moments in epoch milliseconds. */
export interface CallRecord {
  readonly requestId: string;
  readonly kind: RequestKind;
  readonly method: string;
  readonly path: string;
  readonly at: number;
  readonly accountId: string;
  readonly key: string | undefined;
  readonly terminal: string | undefined;
  readonly amount: number | undefined;
  /** Of a reversal: what the host called the payment that it gives back. */
  readonly original: string | undefined;
  readonly gateway: string | undefined;
  endedAt: number | undefined;
  end: CallEnd;
  status: number | undefined;
  error: string | undefined;
  /** How another API than the payments API says it. */
  as: string | undefined;
  payment: string | undefined;
  /** Its answer has an outcome of this payment, and is not whole on the network yet. */
  telling: readonly string[];
  told: boolean;
}

/** A payment, reversal, debit, refund or credit as it is kept: amounts in minor units, moments in epoch milliseconds. */
export interface AttemptRecord {
  kind: AttemptKind;
  readonly payment: string;
  readonly acceptedAt: number;
  key: string | undefined;
  terminal: string | undefined;
  amount: number | undefined;
  currency: string | undefined;
  concludedAt: number | undefined;
  outcome: 'open' | 'success' | 'failure';
  reason: string | undefined;
  why: string | undefined;
  /** Of a reversal: the payment that it gives back. */
  original: string | undefined;
  /** How the acquirer's host calls the authorization. */
  pspReference?: string;
  /** Authorized or captured, minus what was reversed. */
  moved: number;
  /** Given back: of a debit, or by a reversal or a refund. */
  refunded: number;
  told: boolean;
  /** The request that it came of is in the journal, so all that was told of it is. */
  known: boolean;
  /** The operator asked for it over the control API, and no point of sale waits for its outcome. */
  ofOperator?: true;
  /** Its gateway crashed while it was open: what the journal has of it since may not be all, and the store has the rest. */
  gap?: true;
}

/** Whether money goes to the customer with it, at a terminal. */
export function givesBack(kind: AttemptKind): kind is 'reversal' | 'cardRefund' {
  return kind === 'reversal' || kind === 'cardRefund';
}

/** A sale as it is kept. */
export class SaleRecord {
  readonly kind: SaleKind;
  startedAt: number;
  /** Given when it is known whether a payment came of its first request. */
  saleId: string | undefined;
  accountId: string | undefined;
  reference: string | undefined;
  own: OwnSeller | undefined;
  refundOf: SaleRecord | undefined;
  /** What a refund gives back, where its sale is not at hand. */
  debit: string | undefined;
  readonly attempts: AttemptRecord[] = [];
  /** By the moment they came. */
  readonly calls: CallRecord[] = [];
  callsLeftOut = 0;
  readonly beliefs: Belief[] = [];
  /** What was being given back when the latest belief was stated. */
  givenBackThen: ReadonlySet<string> = new Set();
  crowded: SaleFinding | undefined;
  foundByOthers: readonly SaleFinding[] = [];
  /** What it is found by. */
  readonly names = new Set<string>();

  constructor(kind: SaleKind, startedAt: number) {
    this.kind = kind;
    this.startedAt = startedAt;
  }

  /** Gives the call that is let go for it, if there is one. */
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

  /** In major units, what was asked for last. */
  get asked(): number | undefined {
    return this.calls.findLast(({ kind, amount }) => kind !== 'reversal' && amount !== undefined)?.amount;
  }

  /** Those that its outcome and its amount are of: its payments, or what is given to a card where it has none. */
  get paying(): readonly AttemptRecord[] {
    const payments = this.attempts.filter(({ kind }) => !givesBack(kind));
    return payments.length > 0 ? payments : this.attempts;
  }

  /** Nothing was paid in it: money is given to a card. */
  get isCardRefund(): boolean {
    if (this.attempts.length > 0) return this.attempts.every(({ kind }) => kind === 'cardRefund');
    const begun = this.calls.filter(({ kind }) => beginsAtTerminal(kind));
    return begun.length > 0 && begun.every(({ kind }) => kind === 'cardRefund');
  }

  /** When anything last happened between it and its point of sale; what is given back of it days later does not prolong it. */
  get lastCallAt(): number {
    const call = this.calls.findLast(({ kind }) => kind !== 'reversal');
    const attempt = this.attempts.findLast(({ kind }) => kind !== 'reversal');
    return Math.max(this.startedAt, call?.at ?? 0, attempt?.acceptedAt ?? 0);
  }
}
