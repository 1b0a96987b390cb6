import type { Asks, Means } from './asks.ts';

/** A fault that a test set, and what it was set to do. */
export interface InjectedFault {
  fault: string;
  delayMs?: number;
  afterMs?: number;
  bytes?: number;
  bytesPerSecond?: number;
  answered?: string;
}

/** What gives money back at a terminal; where a field of it is absent, the entry is of a payment. */
type GivesBack = 'refund' | 'reversal';

/** What kinds of things happen, and what an entry of each kind contains. Dotted, past tense. */
export interface JournalKinds {
  'http.received': {
    method: string;
    path: string;
    requestId: string;
    /** Requests of one number came over one connection; connections are counted as they open. Not known of older journals. */
    connection?: number;
    /** Those that say what it means and who sent it; of `authorization` only that it was there. */
    headers?: Record<string, string>;
    /** Whose API token it showed. */
    accountId?: string;
    /** What it is for, where it is a request of another API than the payments API. */
    asks?: Asks;
    /** The request that the gateway sent itself once more, because a test wants it: this is none of the point of sale (B213). */
    copyOf?: string;
    body?: unknown;
  };
  'http.answered': {
    method: string;
    path: string;
    requestId: string;
    status: number;
    /** Those that say what it is and what to do next, such as `Location` and `Retry-After`. */
    headers?: Record<string, string>;
    body?: unknown;
    durationMs: number;
    /** Whether the network had taken all of it at once; where not, `http.sent` says how that ended. Not known of 0.1. */
    whole?: boolean;
    /** The payment whose outcome is in it. */
    outcomeOf?: string;
    /** What it means, where it is an answer of another API than the payments API. */
    means?: Means;
  };
  /** The network has taken the rest of an answer, or its connection ended before. */
  'http.sent': { method: string; path: string; requestId: string; whole: boolean };
  'http.hungUp': { method: string; path: string; requestId: string };
  /** A test injected this fault (POST /control/faults); `status` is what would have been answered. */
  'fault.injected': InjectedFault & {
    method: string;
    path: string;
    requestId: string;
    status?: number;
    body?: unknown;
  };
  'request.unknownField': { requestId: string; paths: string[] };
  /** Where in it something looks like a card number (B126). */
  'request.cardNumber': { requestId: string; paths: string[] };
  /** Where the data are that a gateway shares with others, and what it is called among them. */
  'gateway.joined': { among: string };
  'link.opened': { link: string };
  'link.closed': { link: string; code: number; reason: string };
  'message.sent': { link: string; message: string; serviceId?: string; body?: unknown };
  'message.received': { link: string; message: string; serviceId?: string; body?: unknown };
  'payment.accepted': {
    amount: number;
    currency: string;
    idempotencyKey?: string;
    requestId: string;
    accountId?: string;
    saleReferenceId?: string;
    paymentKind?: GivesBack;
    /** The payment that a reversal gives back. */
    original?: string;
  };
  'payment.delivered': { paymentKind?: GivesBack; again: boolean };
  'payment.progressed': { event: string };
  'payment.abortRequested': { via: string };
  'payment.lost': { deadline: string };
  'payment.concluded': {
    paymentKind?: GivesBack;
    result: 'success' | 'failure';
    errorCondition?: string;
    why: string;
  };
  'payment.lateResult': { result: string; why: string };
  'ledger.authorized': { amount: number; currency: string; pspReference: string; rule: string };
  'ledger.declined': { amount: number; currency: string; pspReference: string; rule: string };
  'ledger.reversed': { reason: string; amount: number };
  'ledger.captured': { amount: number; currency: string; pspReference: string; rule: string };
  /** With its rule where a terminal asked the host for it. */
  'ledger.refunded': { amount: number; currency: string; refund: string; rule?: string };
  'ledger.returned': { amount: number; currency: string; refund: string; reason: string };
  'debit.changed': { state: string; amount: number; currency: string; why: string };
  'refund.changed': { refund: string; status: string; amount: number; currency: string; why: string };
  'event.published': { event: string; type: string; resource: string };
  'credit.changed': { state: string; amount: number; currency: string; why: string };
  'credit.visited': { what: string };
  'webhook.attempted': {
    webhook: string;
    delivery: string;
    event: string;
    type: string;
    attempt: number;
    /** As it was sent; timestamp and signature are of the time on the wall, so not where the clock is virtual. */
    headers?: Record<string, string>;
    body?: unknown;
    status?: number;
    error?: string;
    /** The beginning of what the receiver said. */
    answer?: string;
  };
  'webhook.failed': { webhook: string; delivery: string; event: string; why: string };
  /** With the `event` whose like was forged, where one was (forgeEvent). */
  'webhook.probed': {
    webhook: string;
    event?: string;
    type?: string;
    headers?: Record<string, string>;
    body?: unknown;
    status?: number;
    error?: string;
  };
  /** An event on its way to a webhook met a fault that a test set (POST /control/faults). */
  'webhook.faulted': InjectedFault & { webhook: string; delivery: string; event: string; type: string };
  'webhook.disabled': { webhook: string; why: string };
  'terminal.state': { state: string };
  /** What a payment shows is journaled in full, without what is typed. */
  'terminal.screen': {
    state: string;
    title: string;
    amount?: string;
    givesBack?: GivesBack;
    lines?: string[];
    choices?: string[];
  };
  'terminal.key': { key: string };
  'terminal.card': { action: 'inserted' | 'tapped' | 'swiped' | 'keyed' | 'removed'; card: string };
  /** `at` is the moment of a payment for which it was planned (B171). */
  'terminal.power': { on: boolean; at?: string };
  /** The power will be cut at a moment of a payment; without a moment, a planned cut is cancelled. */
  'terminal.cutPlanned': { at?: 'approvalReceived' | 'resultStored'; mode?: 'once' | 'always' };
  'terminal.network': { up: boolean; at?: string };
  /** The terminal, or the gateway, is paused there (B284); without a moment, it goes on. */
  'moment.paused': { at?: string };
  /** Something is set for a moment of payments that come (B280). */
  'moment.set': { moment: string; action: string; backMs?: number; after: number; times: number | null };
  /** What was set is taken back: for one moment, or for all. */
  'moment.cleared': { moment?: string };
  /** It died within its process, as was set (B282), and begins again. */
  'gateway.crashed': { at: string };
  /** The network will fail so many times from now on; 0 when that is over or was cancelled. */
  'terminal.flapping': { times: number; downMs?: number; upMs?: number };
  /** Every message takes so long from now on, each way. */
  'terminal.latency': { latencyMs: number };
  'terminal.printed': { copy: string };
  'terminal.memory': { what: string };
  'reader.event': { reader: string; event: string };
  'outcome.set': { scope: string; outcome: unknown };
  'clock.advanced': { byMs: number };
  'control.changed': { what: string };
  /** What the shop takes a sale for, as a test or a driver of the point of sale says (docs/sales.md). */
  'belief.stated': {
    saleId: string;
    believes: 'paid' | 'notPaid' | 'unknown';
    payment?: string;
    /** In major units. */
    amount?: number;
    times?: number;
  };
  /** A reader misses entries of its gateway here: `count` of them, or `atLeast`, where that is known. */
  'journal.lost': { count?: number; atLeast?: number; why: string };
  warning: { message: string };
}
