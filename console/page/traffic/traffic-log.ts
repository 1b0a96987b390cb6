import type { JournalEntry } from '../../../shared/journal.ts';
import { asRecord } from '../../../shared/journal-fields.ts';
import { Observable } from '../observable.ts';
import type { TrafficStep } from './traffic-step.ts';

/**
 * The maximum number of entries that are kept, so that a page that is left open overnight stays usable. By default, a
 * gateway's journal keeps the same number.
 */
const mostEntries = 10_000;

/** The data of the traffic view: the journal's latest entries, and the steps that caused them. */
export class TrafficLog extends Observable {
  #entries: JournalEntry[] = [];
  #paymentOfRequest = new Map<string, string>();
  #terminalOfPayment = new Map<string, string>();
  #skipped = 0;
  #version = 0;
  steps: readonly TrafficStep[] = [];

  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  /** How many entries were left out because they came faster than they could be shown. */
  get skipped(): number {
    return this.#skipped;
  }

  /** A number that changes whenever an entry or a step is added or removed. */
  get version(): number {
    return this.#version;
  }

  add(entries: readonly JournalEntry[], skipped = 0): void {
    if (entries.length === 0 && skipped === 0) return;
    this.#skipped += skipped;
    for (const entry of entries) this.#linkRequest(entry);
    this.#entries.push(...entries);
    // Old entries are removed many at a time, because it would be slow to move ten thousand entries for each new
    // entry.
    if (this.#entries.length > mostEntries * 1.1) this.#dropOldest();
    this.#version++;
    this.changed();
  }

  clear(): void {
    this.#entries = [];
    this.#paymentOfRequest.clear();
    this.#terminalOfPayment.clear();
    this.#skipped = 0;
    this.#version++;
    this.changed();
  }

  /**
   * Returns the payment, debit or credit to which an entry belongs. The payment of a request or an answer may be
   * named in another entry of the same request.
   */
  paymentOf(entry: JournalEntry): string | undefined {
    if (entry.payment !== undefined) return entry.payment;
    const request = entryRequestId(entry);
    return request === undefined ? undefined : this.#paymentOfRequest.get(request);
  }

  /**
   * Returns the terminal of an entry. If the entry names no terminal, returns the terminal of the entry's payment.
   */
  terminalOf(entry: JournalEntry): string | undefined {
    return entry.terminal ?? this.#terminalOfPayment.get(this.paymentOf(entry) ?? '');
  }

  #linkRequest(entry: JournalEntry): void {
    if (entry.payment !== undefined && entry.terminal !== undefined)
      this.#terminalOfPayment.set(entry.payment, entry.terminal);
    const request = entryRequestId(entry);
    if (request === undefined) return;
    const payment = entry.payment ?? answeredPayment(entry);
    if (payment !== undefined) this.#paymentOfRequest.set(request, payment);
  }

  #dropOldest(): void {
    const gone = this.#entries.slice(0, -mostEntries);
    this.#entries = this.#entries.slice(-mostEntries);
    const kept = new Set(this.#entries.map(entryRequestId));
    for (const request of gone.map(entryRequestId))
      if (request !== undefined && !kept.has(request)) this.#paymentOfRequest.delete(request);
    const payments = new Set(this.#entries.map(({ payment }) => payment));
    for (const payment of this.#terminalOfPayment.keys())
      if (!payments.has(payment)) this.#terminalOfPayment.delete(payment);
  }
}

/** Returns the id of the request to which an entry belongs. */
export function entryRequestId({ data }: JournalEntry): string | undefined {
  return 'requestId' in data ? data.requestId : undefined;
}

function answeredPayment(entry: JournalEntry): string | undefined {
  if (entry.kind !== 'http.answered' || entry.data.path.startsWith('/control')) return undefined;
  const { identifier, debit_id } = asRecord(entry.data.body);
  const id = identifier ?? debit_id;
  return typeof id === 'string' ? id : undefined;
}
