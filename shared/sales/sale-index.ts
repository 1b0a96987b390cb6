import type { SaleKind } from './sale.ts';
import { type CallRecord, SaleRecord } from './sale-record.ts';
import { isLongAfter } from './same-sale.ts';

/** The names by which a sale is found. */
export const saleIndexKeys = {
  reference: (accountId: string, reference: string) => `r\n${accountId}\n${reference}`,
  key: (accountId: string, key: string) => `k\n${accountId}\n${key}`,
  payment: (payment: string) => `p\n${payment}`,
  /** The host's reference of an authorization. Requests for reversals contain this reference. */
  authorization: (accountId: string, pspReference: string) => `h\n${accountId}\n${pspReference}`,
  /** The latest sale on a terminal. */
  terminal: (accountId: string, terminalId: string) => `t\n${accountId}\n${terminalId}`,
};

/**
 * Whether a request that has the reference or key of a sale begins another sale, because it comes long after that sale.
 */
export function beginsAnotherSale(record: SaleRecord, at: number): boolean {
  return !record.isOpen && isLongAfter(record.lastCallAt, at);
}

/**
 * The maximum number of characters of the names of all sales together (B318). The number is limited, because a single
 * reference can have 100 kB.
 */
const mostNameCharacters = 16_000_000;

interface SaleIndexListener {
  /** Called with the saleId of each sale that is removed. */
  removed(saleId: string): void;
  /** Called with the saleId of a removed sale if its calls and attempts belong to other sales now. */
  regrouped(saleId: string): void;
}

/**
 * The latest sales, up to a maximum number, with the names by which they are found. Also keeps the calls that have not
 * ended.
 */
export class SaleIndex {
  readonly #most: number;
  readonly #listener: SaleIndexListener;
  /** The sales in the order of their last use, the latest last. */
  readonly #records = new Set<SaleRecord>();
  readonly #byId = new Map<string, SaleRecord>();
  readonly #byName = new Map<string, SaleRecord>();
  #nameCharacters = 0;
  readonly #calls = new Map<string, { call: CallRecord; record: SaleRecord | undefined }>();

  constructor(most: number, listener: SaleIndexListener) {
    this.#most = most;
    this.#listener = listener;
  }

  get all(): Iterable<SaleRecord> {
    return this.#records;
  }

  byId(saleId: string): SaleRecord | undefined {
    return this.#byId.get(saleId);
  }

  find(name: string): SaleRecord | undefined {
    return this.#byName.get(name);
  }

  create(kind: SaleKind, at: number): SaleRecord {
    const record = new SaleRecord(kind, at);
    this.#records.add(record);
    if (this.#records.size > this.#most) {
      const [oldest] = this.#records;
      if (oldest) this.#remove(oldest);
    }
    return record;
  }

  /** Marks a sale as the one that was used last. */
  touch(record: SaleRecord): void {
    if (!this.#records.delete(record)) return;
    this.#records.add(record);
  }

  /**
   * Gives a sale a name, so that `find` returns the sale for this name. If another sale already has the name, that sale
   * loses it.
   */
  name(record: SaleRecord, name: string): void {
    const former = this.#byName.get(name);
    if (former) former.names.delete(name);
    else this.#nameCharacters += name.length;
    this.#byName.set(name, record);
    record.names.add(name);
    if (this.#nameCharacters > mostNameCharacters) this.#makeRoomForNames(record);
  }

  /** Removes the oldest sales until the names of all sales together are short enough. */
  #makeRoomForNames(kept: SaleRecord): void {
    for (const record of this.#records) {
      if (this.#nameCharacters <= mostNameCharacters) return;
      if (record !== kept) this.#remove(record);
    }
  }

  /**
   * Gives a sale the saleId `wanted`. If another sale already has that saleId, the new saleId is `wanted` with a number
   * at the end.
   */
  identify(record: SaleRecord, wanted: string): void {
    let saleId = wanted;
    for (let use = 2; this.#byId.has(saleId); use++) saleId = `${wanted}.${use}`;
    record.saleId = saleId;
    this.#byId.set(saleId, record);
  }

  /**
   * Removes a sale that has neither calls nor attempts any more. Its names go to the sale `to`, which has the call now.
   */
  handOver(record: SaleRecord, to: SaleRecord): void {
    for (const name of [...record.names]) this.name(to, name);
    this.dissolve(record);
  }

  /** Merges the sale `other` into `record`, because both turned out to be the same sale. */
  absorb(record: SaleRecord, other: SaleRecord): void {
    for (const name of [...other.names]) this.name(record, name);
    for (const call of other.calls) {
      const known = this.#calls.get(call.requestId);
      if (known?.call === call) known.record = record;
      this.#addCall(record, call);
    }
    record.callsLeftOut += other.callsLeftOut;
    record.attempts.push(...other.attempts);
    record.beliefs.push(...other.beliefs);
    record.givenBackThen = new Set([...record.givenBackThen, ...other.givenBackThen]);
    for (const [refund, amount] of other.refunds) record.refunds.set(refund, amount);
    for (const each of this.#records) if (each.refundOf === other) each.refundOf = record;
    record.foundByOthers = [...record.foundByOthers, ...other.foundByOthers];
    record.own ??= other.own;
    other.calls.length = 0;
    this.dissolve(other);
  }

  /** Removes a sale because its calls and attempts belong to other sales from now on. */
  dissolve(record: SaleRecord): void {
    this.#remove(record);
    if (record.saleId !== undefined) this.#listener.regrouped(record.saleId);
  }

  #remove(record: SaleRecord): void {
    this.#records.delete(record);
    for (const name of record.names) {
      this.#byName.delete(name);
      this.#nameCharacters -= name.length;
    }
    record.names.clear();
    for (const call of record.calls)
      if (this.#calls.get(call.requestId)?.call === call) this.#calls.delete(call.requestId);
    if (record.saleId === undefined) return;
    this.#byId.delete(record.saleId);
    this.#listener.removed(record.saleId);
  }

  /** Returns a call that has not ended, and its sale if the sale is known. */
  call(requestId: string): { call: CallRecord; record: SaleRecord | undefined } | undefined {
    return this.#calls.get(requestId);
  }

  /** Returns the sale of a call. If the call has ended, searches all sales for the call. */
  saleOfCall(requestId: string): SaleRecord | undefined {
    const isOfIt = ({ calls }: SaleRecord) => calls.some((call) => call.requestId === requestId);
    return this.call(requestId)?.record ?? [...this.#records].findLast(isOfIt);
  }

  /** Notes that a call has begun. A call without a sale is kept until the call ends. */
  begin(call: CallRecord, record: SaleRecord | undefined): void {
    this.#calls.set(call.requestId, { call, record: undefined });
    if (record) this.place(call, record);
    if (this.#calls.size <= 2 * this.#most) return;
    const [oldest] = this.#calls.keys();
    if (oldest !== undefined) this.#calls.delete(oldest);
  }

  /** Moves a call to a sale. Returns the sale that had the call before, if that was another sale. */
  place(call: CallRecord, record: SaleRecord): SaleRecord | undefined {
    const known = this.#calls.get(call.requestId);
    const former = known?.call === call ? known.record : undefined;
    if (former === record) return undefined;
    former?.removeCall(call);
    this.#addCall(record, call);
    if (known?.call === call) known.record = record;
    return former;
  }

  /**
   * Adds a call to a sale. If the sale then has too many calls, it leaves one of them out. The omitted call counts as
   * ended.
   */
  #addCall(record: SaleRecord, call: CallRecord): void {
    const left = record.addCall(call);
    if (left) this.end(left);
  }

  /** Notes that a call has ended. From then on, the call is no longer found by its request id. */
  end(call: CallRecord): void {
    if (this.#calls.get(call.requestId)?.call === call) this.#calls.delete(call.requestId);
  }

  /** Returns the oldest call that has not ended, has no sale yet, and passes the check `fits`. */
  unplaced(fits: (call: CallRecord) => boolean): CallRecord | undefined {
    for (const { call, record } of this.#calls.values()) if (!record && fits(call)) return call;
    return undefined;
  }

  get underWay(): CallRecord[] {
    return [...this.#calls.values()].map(({ call }) => call);
  }
}
