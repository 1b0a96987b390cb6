import type { Clock } from './clock.ts';
import { Mask } from './masking/mask.ts';

/** What kinds of things happen, and what an entry of each kind tells. Dotted, past tense. */
export interface JournalKinds {
  'http.received': {
    method: string;
    path: string;
    requestId: string;
    /** Those that decide what a payment request means: `idempotency-key`, `prefer`. */
    headers?: Record<string, string>;
    body?: unknown;
  };
  'http.answered': {
    method: string;
    path: string;
    requestId: string;
    status: number;
    /** Those that tell the client what to do next: `Location`, `Retry-After`. */
    headers?: Record<string, string>;
    body?: unknown;
    durationMs: number;
  };
  'http.hungUp': { method: string; path: string; requestId: string };
  /** A test had this go wrong (POST /control/faults); `status` is what would have been answered. */
  'fault.injected': {
    fault: 'dropRequest' | 'dropAnswer' | 'delayAnswer' | 'failAnswer';
    method: string;
    path: string;
    requestId: string;
    status?: number;
    body?: unknown;
    delayMs?: number;
  };
  'request.unknownField': { requestId: string; paths: string[] };
  /** Where in it something looks like a card number (decision 66). */
  'request.cardNumber': { requestId: string; paths: string[] };
  'link.opened': { link: string };
  'link.closed': { link: string; code: number; reason: string };
  'message.sent': { link: string; message: string; serviceId?: string; body?: unknown };
  'message.received': { link: string; message: string; serviceId?: string; body?: unknown };
  'payment.accepted': { amount: number; currency: string; idempotencyKey?: string; requestId: string };
  'payment.delivered': { again: boolean };
  'payment.progressed': { event: string };
  'payment.abortRequested': { via: string };
  'payment.lost': { deadline: string };
  'payment.concluded': { result: 'success' | 'failure'; errorCondition?: string; why: string };
  'payment.lateResult': { result: string; why: string };
  'ledger.authorized': { amount: number; currency: string; pspReference: string; rule: string };
  'ledger.declined': { amount: number; currency: string; pspReference: string; rule: string };
  'ledger.reversed': { reason: string; amount: number };
  'ledger.captured': { amount: number; currency: string; pspReference: string; rule: string };
  'ledger.refunded': { amount: number; currency: string; refund: string };
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
    status?: number;
    error?: string;
  };
  'webhook.failed': { webhook: string; delivery: string; event: string; why: string };
  'webhook.probed': { webhook: string; status?: number; error?: string };
  'webhook.disabled': { webhook: string; why: string };
  'terminal.state': { state: string };
  /** What a payment shows is told in full, without what is typed. */
  'terminal.screen': { state: string; title: string; amount?: string; lines?: string[]; choices?: string[] };
  'terminal.key': { key: string };
  'terminal.card': { action: 'inserted' | 'tapped' | 'swiped' | 'keyed' | 'removed'; card: string };
  'terminal.power': { on: boolean };
  'terminal.network': { up: boolean };
  /** Every message takes so long from now on, each way. */
  'terminal.latency': { latencyMs: number };
  'terminal.printed': { copy: string };
  'terminal.memory': { what: string };
  'reader.event': { reader: string; event: string };
  'outcome.set': { scope: string; outcome: unknown };
  'clock.advanced': { byMs: number };
  'control.changed': { what: string };
  warning: { message: string };
}
export type JournalKind = keyof JournalKinds;

/** One thing that happened. */
export interface JournalEntry<K extends JournalKind = JournalKind> {
  /** Counts up from 1 in one process. */
  readonly seq: number;
  /** The clock's time, epoch milliseconds. */
  readonly at: number;
  readonly kind: K;
  /** The terminal it concerns, by poi_id. */
  readonly terminal?: string;
  /** The payment or debit it concerns: its transaction identifier. */
  readonly payment?: string;
  readonly data: JournalKinds[K];
}

export interface About {
  terminal?: string | undefined;
  payment?: string | undefined;
}

/**
 * Everything that happens, in order, in memory: log lines, the live stream, scenario expectations and traces
 * all read from here. The latest `capacity` entries are kept. What a stranger's text may hold that must not be shown
 * is masked here, for all of them: bodies when somebody reads them, everything else at once (decision 66).
 */
export class Journal {
  #clock: Clock;
  #capacity: number;
  #entries: JournalEntry[] = [];
  #seq = 0;
  #mask = new Mask();
  #listeners = new Set<(entry: JournalEntry) => void>();

  constructor(clock: Clock, options: { capacity?: number } = {}) {
    this.#clock = clock;
    this.#capacity = options.capacity ?? 10_000;
  }

  /**
   * `readBody` gives the body of an entry whenever somebody looks, which is seldom: what waits in the journal as text
   * costs the garbage collector a fraction of what it is read to.
   */
  add<K extends JournalKind>(
    kind: K,
    data: JournalKinds[K],
    about: About = {},
    readBody?: () => unknown,
  ): void {
    this.#append({
      seq: ++this.#seq,
      at: this.#clock.now(),
      kind,
      ...(about.terminal === undefined ? {} : { terminal: about.terminal }),
      ...(about.payment === undefined ? {} : { payment: about.payment }),
      data: this.#mask.entry(data, readBody),
    });
  }

  /** Takes over an entry of another process, giving it the next number here. */
  adopt(entry: JournalEntry): void {
    const payment = entry.payment === undefined ? {} : { payment: this.#mask.text(entry.payment) };
    this.#append({ ...entry, ...payment, seq: ++this.#seq, data: this.#mask.entry(entry.data) });
  }

  /** The kept entries after `seq`, oldest first. */
  since(seq = 0): JournalEntry[] {
    const oldest = this.#entries[0]?.seq ?? 1;
    return this.#entries.slice(Math.max(0, seq + 1 - oldest));
  }

  /** The last thing that happened. */
  get latest(): JournalEntry | undefined {
    return this.#entries.at(-1);
  }

  /** Calls `listener` with every entry from now on; returns how to stop. */
  listen(listener: (entry: JournalEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #append(entry: JournalEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > this.#capacity * 1.25) this.#entries = this.#entries.slice(-this.#capacity);
    for (const listener of this.#listeners) listener(entry);
  }
}
