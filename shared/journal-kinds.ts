import type { DialectAnswerMeaning, DialectRequestMeaning } from './dialect-meaning.ts';

/** A fault that a test asked for, and its effect. */
export interface InjectedFault {
  fault: string;
  delayMs?: number;
  afterMs?: number;
  bytes?: number;
  bytesPerSecond?: number;
  answered?: string;
}

/**
 * The kinds of payment that give money back at a terminal. If a field of this type is absent, the entry is about a
 * payment.
 */
type GivesBack = 'refund' | 'reversal';

/**
 * The kinds of entries, and the data of each kind. The name of a kind has a dot, and usually ends with a verb in the
 * past tense.
 */
export interface JournalDataByKind {
  'http.received': {
    method: string;
    path: string;
    requestId: string;
    /**
     * The number of the connection over which the request came. Connections are counted as they open. Journals of older
     * releases lack the number.
     */
    connection?: number;
    /**
     * The headers that say what the request means and which client sent it. The value of `authorization` is left out;
     * only its presence is noted.
     */
    headers?: Record<string, string>;
    /** The account whose API token the request carried. */
    accountId?: string;
    /** The purpose of the request, if it belongs to an API other than the payments API. */
    asks?: DialectRequestMeaning;
    /**
     * The id of an earlier request, if this request is a copy of it. The gateway made the copy because a test asked for
     * the copy; the point of sale did not send the copy (B213).
     */
    copyOf?: string;
    body?: unknown;
  };
  'http.answered': {
    method: string;
    path: string;
    requestId: string;
    status: number;
    /** The headers that say what the answer is and what to do next, such as `Location` and `Retry-After`. */
    headers?: Record<string, string>;
    body?: unknown;
    durationMs: number;
    /**
     * Whether the network took the whole answer at once. If not, a later entry `http.sent` says how the sending ended.
     * Journals of 0.1 lack this field.
     */
    whole?: boolean;
    /** The payment whose outcome the answer contains. */
    outcomeOf?: string;
    /** The meaning of the answer, if it belongs to an API other than the payments API. */
    means?: DialectAnswerMeaning;
  };
  /** The sending of an answer ended: the network took the rest of the answer, or the connection ended first. */
  'http.sent': { method: string; path: string; requestId: string; whole: boolean };
  'http.hungUp': { method: string; path: string; requestId: string };
  /**
   * A fault that a test had asked for took effect (POST /control/faults). `status` is the status that the answer would
   * have had without the fault.
   */
  'fault.injected': InjectedFault & {
    method: string;
    path: string;
    requestId: string;
    status?: number;
    body?: unknown;
  };
  'request.unknownField': { requestId: string; paths: string[] };
  /** `paths` says which fields look like a card number (B126). */
  'request.cardNumber': { requestId: string; paths: string[] };
  /**
   * This gateway has joined other gateways. `among` is a text that names two things: the place of the data that the
   * gateways share, and this gateway.
   */
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
    /** The payment whose money a reversal gives back. */
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
  /** `rule` is present if a terminal asked the host for the refund. */
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
    /**
     * The headers that were sent. If the clock is virtual, the headers with the timestamp and the signature are left
     * out, because they depend on real time.
     */
    headers?: Record<string, string>;
    body?: unknown;
    status?: number;
    error?: string;
    /** The beginning of the receiver's answer. */
    answer?: string;
  };
  'webhook.failed': { webhook: string; delivery: string; event: string; why: string };
  /**
   * A message with a wrong signature was sent to a webhook. If the message imitates a real event, `event` is that
   * event's id (forgeEvent).
   */
  'webhook.probed': {
    webhook: string;
    event?: string;
    type?: string;
    headers?: Record<string, string>;
    body?: unknown;
    status?: number;
    error?: string;
  };
  /** An event on its way to a webhook met a fault that a test asked for (POST /control/faults). */
  'webhook.faulted': InjectedFault & { webhook: string; delivery: string; event: string; type: string };
  'webhook.disabled': { webhook: string; why: string };
  'terminal.state': { state: string };
  /**
   * A terminal shows this screen. During a payment, the journal records every screen in full, except the text that the
   * customer types.
   */
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
  /** If the power cut was planned for a moment of a payment, `at` is that moment (B171). */
  'terminal.power': { on: boolean; at?: string };
  /** A power cut was planned for a moment of a payment. If `at` is absent, a planned cut was cancelled. */
  'terminal.cutPlanned': { at?: 'approvalReceived' | 'resultStored'; mode?: 'once' | 'always' };
  'terminal.network': { up: boolean; at?: string };
  /** A payment is paused at this moment at the terminal or the gateway (B284). If `at` is absent, the pause is over. */
  'moment.paused': { at?: string };
  /** A test planned an action for a moment of later payments (B280). */
  'moment.set': { moment: string; action: string; backMs?: number; after: number; times: number | null };
  /** The plan for one moment was cancelled. If `moment` is absent, all plans were cancelled. */
  'moment.cleared': { moment?: string };
  /** A test had planned a crash (B282): the gateway stopped as in a crash, and starts again in the same process. */
  'gateway.crashed': { at: string };
  /** The network will fail this many times from now on. 0 means that the failures are over or were cancelled. */
  'terminal.flapping': { times: number; downMs?: number; upMs?: number };
  /** From now on, every message takes this many milliseconds in each direction. */
  'terminal.latency': { latencyMs: number };
  'terminal.printed': { copy: string };
  'terminal.memory': { what: string };
  'reader.event': { reader: string; event: string };
  'outcome.set': { scope: string; outcome: unknown };
  'clock.advanced': { byMs: number };
  'control.changed': { what: string };
  /**
   * A test, or a driver of the point of sale, reported what the shop believes about the state of a sale
   * (docs/sales.md).
   */
  'belief.stated': {
    saleId: string;
    believes: 'paid' | 'notPaid' | 'unknown';
    payment?: string;
    /** The amount in major units. */
    amount?: number;
    times?: number;
  };
  /**
   * Entries of a gateway are missing at this place: `count` entries, or at least `atLeast` entries if the exact number
   * is unknown.
   */
  'journal.lost': { count?: number; atLeast?: number; why: string };
  warning: { message: string };
}
