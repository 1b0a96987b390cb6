import type { SaleKind } from './sale.ts';
import { type CallRecord, SaleRecord } from './sale-record.ts';
import { isLongAfter } from './same-sale.ts';

/** What a sale is found by. */
export const named = {
  reference: (accountId: string, reference: string) => `r\n${accountId}\n${reference}`,
  key: (accountId: string, key: string) => `k\n${accountId}\n${key}`,
  payment: (payment: string) => `p\n${payment}`,
  /** By what the acquirer's host calls its authorization, as a reversal names it. */
  authorization: (accountId: string, pspReference: string) => `h\n${accountId}\n${pspReference}`,
  /** The latest on a terminal. */
  terminal: (accountId: string, terminalId: string) => `t\n${accountId}\n${terminalId}`,
};

/** Whether what comes at that moment under the sale's reference or key begins another one. */
export function isOver(record: SaleRecord, at: number): boolean {
  return !record.isOpen && isLongAfter(record.lastCallAt, at);
}

/** References may have 100 kB each: the names of all sales together have so many characters at most (B318). */
const mostNameCharacters = 16_000_000;

/** The sales that are kept, what they are found by, and the calls that are under way: at most so many, the latest. */
export class SaleIndex {
  readonly #most: number;
  readonly #gone: (saleId: string) => void;
  /** The one that was touched last is the last. */
  readonly #records = new Set<SaleRecord>();
  readonly #byId = new Map<string, SaleRecord>();
  readonly #byName = new Map<string, SaleRecord>();
  #nameCharacters = 0;
  readonly #calls = new Map<string, { call: CallRecord; record: SaleRecord | undefined }>();

  constructor(most: number, gone: (saleId: string) => void) {
    this.#most = most;
    this.#gone = gone;
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
      if (oldest) this.remove(oldest);
    }
    return record;
  }

  touch(record: SaleRecord): void {
    if (!this.#records.delete(record)) return;
    this.#records.add(record);
  }

  name(record: SaleRecord, name: string): void {
    const former = this.#byName.get(name);
    if (former) former.names.delete(name);
    else this.#nameCharacters += name.length;
    this.#byName.set(name, record);
    record.names.add(name);
    if (this.#nameCharacters > mostNameCharacters) this.#removeOldestBut(record);
  }

  #removeOldestBut(kept: SaleRecord): void {
    for (const record of this.#records) {
      if (this.#nameCharacters <= mostNameCharacters) return;
      if (record !== kept) this.remove(record);
    }
  }

  identify(record: SaleRecord, wanted: string): void {
    let saleId = wanted;
    for (let use = 2; this.#byId.has(saleId); use++) saleId = `${wanted}.${use}`;
    record.saleId = saleId;
    this.#byId.set(saleId, record);
  }

  /** Nothing is left of a sale but what it is found by: that is from now on the name of the one that has its call. */
  handOver(record: SaleRecord, to: SaleRecord): void {
    for (const name of [...record.names]) this.name(to, name);
    this.remove(record);
  }

  /** What turns out to be of one sale is that one's. */
  absorb(record: SaleRecord, other: SaleRecord): void {
    for (const name of [...other.names]) this.name(record, name);
    for (const call of other.calls) {
      record.addCall(call);
      const known = this.#calls.get(call.requestId);
      if (known?.call === call) known.record = record;
    }
    record.attempts.push(...other.attempts);
    record.beliefs.push(...other.beliefs);
    record.foundByOthers = [...record.foundByOthers, ...other.foundByOthers];
    record.own ??= other.own;
    other.calls.length = 0;
    this.remove(other);
  }

  remove(record: SaleRecord): void {
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
    this.#gone(record.saleId);
  }

  /** A call under way, and its sale where that is known. */
  call(requestId: string): { call: CallRecord; record: SaleRecord | undefined } | undefined {
    return this.#calls.get(requestId);
  }

  /** The sale of a call, also of one that is over: all are looked through. */
  saleOfCall(requestId: string): SaleRecord | undefined {
    const isOfIt = ({ calls }: SaleRecord) => calls.some((call) => call.requestId === requestId);
    return this.call(requestId)?.record ?? [...this.#records].findLast(isOfIt);
  }

  /** Notes a call as under way; one that cannot be placed is kept until it ends. */
  begin(call: CallRecord, record: SaleRecord | undefined): void {
    this.#calls.set(call.requestId, { call, record: undefined });
    if (record) this.place(call, record);
    if (this.#calls.size <= 2 * this.#most) return;
    const [oldest] = this.#calls.keys();
    if (oldest !== undefined) this.#calls.delete(oldest);
  }

  /** It is this sale's from now on; gives the sale that it was taken from. */
  place(call: CallRecord, record: SaleRecord): SaleRecord | undefined {
    const known = this.#calls.get(call.requestId);
    const former = known?.call === call ? known.record : undefined;
    if (former === record) return undefined;
    former?.removeCall(call);
    const left = record.addCall(call);
    if (left && this.#calls.get(left.requestId)?.call === left) this.#calls.delete(left.requestId);
    if (known?.call === call) known.record = record;
    return former;
  }

  end(call: CallRecord): void {
    if (this.#calls.get(call.requestId)?.call === call) this.#calls.delete(call.requestId);
  }

  /** The oldest call under way that is not placed yet and fits. */
  unplaced(fits: (call: CallRecord) => boolean): CallRecord | undefined {
    for (const { call, record } of this.#calls.values()) if (!record && fits(call)) return call;
    return undefined;
  }

  get underWay(): CallRecord[] {
    return [...this.#calls.values()].map(({ call }) => call);
  }
}
