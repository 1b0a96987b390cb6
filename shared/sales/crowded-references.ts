import { RecentlyUsedCache } from '../recently-used.ts';
import { type SaleIndex, saleIndexKeys } from './sale-index.ts';
import type { AttemptRecord, CallRecord, SaleRecord } from './sale-record.ts';
import { mostPaymentsOfReference } from './same-sale.ts';
import { makeSharedReferenceFinding } from './shared-reference.ts';

interface Crowd {
  /**
   * The sale that has the finding that too many payments share the reference. Undefined as long as the payments with
   * that reference are only in the store.
   */
  record: SaleRecord | undefined;
  payments: number;
}

/**
 * The references that too many payments share. The sale of a payment with such a reference is found by the payment's
 * key instead.
 */
export class CrowdedReferences {
  readonly #index: SaleIndex;
  readonly #crowds = new RecentlyUsedCache<Crowd>(1_000);

  constructor(index: SaleIndex) {
    this.#index = index;
  }

  has(accountId: string, reference: string): boolean {
    return this.#crowds.get(saleIndexKeys.reference(accountId, reference)) !== undefined;
  }

  /**
   * Divides a sale if too many payments share its reference. Returns the sales that changed: the parts of the divided
   * sale. If it was already known that too many payments share the reference, returns the sale that has the finding
   * about this.
   */
  divideIfTooMany(record: SaleRecord): SaleRecord[] {
    const { accountId = '', reference } = record;
    if (reference === undefined) return [];
    const name = saleIndexKeys.reference(accountId, reference);
    const crowd = this.#crowds.get(name);
    if (crowd) {
      crowd.payments++;
      crowd.record ??= record;
      crowd.record.crowded = makeSharedReferenceFinding(reference, crowd.payments);
      return [crowd.record];
    }
    const payments = record.attempts.filter(isPayment).length;
    if (payments <= mostPaymentsOfReference) return [];
    const parts = this.#divide(record, accountId);
    const [first] = parts;
    if (!first) return [];
    const made = { record: first, payments };
    this.#crowds.set(name, made);
    first.crowded = makeSharedReferenceFinding(reference, made.payments);
    return parts;
  }

  /**
   * Notes that the store has this many payments with a reference, and divides the sale that has been found by that
   * reference so far. Returns the sales that changed.
   */
  learn(accountId: string, reference: string, payments: number): SaleRecord[] {
    const name = saleIndexKeys.reference(accountId, reference);
    if (this.#crowds.get(name)) return [];
    const record = this.#index.find(name);
    const parts = record ? this.#divide(record, accountId) : [];
    const [first] = parts;
    this.#crowds.set(name, { record: first, payments });
    if (first) first.crowded = makeSharedReferenceFinding(reference, payments);
    return parts;
  }

  /**
   * Divides a sale: attempts with the same key become one sale, and each attempt without a key becomes a sale of its
   * own.
   */
  #divide(record: SaleRecord, accountId: string): SaleRecord[] {
    this.#index.dissolve(record);
    const groups = Map.groupBy(record.attempts, (attempt) => keyOf(attempt, record.attempts));
    const parts = [...groups].map(([key, attempts]) => this.#createPart(record, accountId, key, attempts));
    const [first] = parts;
    if (first) first.callsLeftOut += record.callsLeftOut; // it is not known to which parts these calls belonged
    for (const belief of record.beliefs) {
      const part = parts.find(({ attempts }) => attempts.some(({ payment }) => payment === belief.payment));
      (part ?? first)?.beliefs.push(belief);
    }
    return parts;
  }

  /** Creates one part of a divided sale. The part has these attempts and the calls about these attempts. */
  #createPart(
    whole: SaleRecord,
    accountId: string,
    key: string,
    attempts: readonly AttemptRecord[],
  ): SaleRecord {
    const index = this.#index;
    const [first] = attempts;
    const calls = whole.calls.filter((call) => isCallAbout(call, key, attempts));
    const part = index.create(whole.kind, calls[0]?.at ?? first?.acceptedAt ?? whole.startedAt);
    part.accountId = whole.accountId;
    part.reference = whole.reference;
    part.own = whole.own;
    part.givenBackThen = whole.givenBackThen;
    part.attempts.push(...attempts);
    for (const attempt of attempts) nameAttempt(index, part, attempt);
    index.name(part, saleIndexKeys.key(accountId, key));
    index.identify(part, first?.payment ?? key);
    for (const call of calls) index.begin(call, part);
    for (const call of calls) if (call.end !== 'open' && call.telling.length === 0) index.end(call);
    return part;
  }
}

/**
 * Returns the key of an attempt, or its payment id if it has no key. For a reversal, returns the key of the original
 * payment.
 */
function keyOf(attempt: AttemptRecord, all: readonly AttemptRecord[]): string {
  const original = all.find(({ payment }) => payment === attempt.original);
  return original ? keyOf(original, all) : (attempt.key ?? attempt.payment);
}

function isCallAbout(call: CallRecord, key: string, attempts: readonly AttemptRecord[]): boolean {
  if (call.payment !== undefined) return attempts.some(({ payment }) => payment === call.payment);
  return call.key === key || attempts.some((each) => each.key !== undefined && each.key === call.key);
}

/** Reversals are not counted, because many reversals of one payment are no fault of the payment's reference. */
function isPayment({ kind }: AttemptRecord): boolean {
  return kind !== 'reversal';
}

function nameAttempt(index: SaleIndex, record: SaleRecord, attempt: AttemptRecord): void {
  const { accountId = '' } = record;
  const { payment, key, pspReference } = attempt;
  index.name(record, saleIndexKeys.payment(payment));
  if (key !== undefined) index.name(record, saleIndexKeys.key(accountId, key));
  if (pspReference !== undefined) index.name(record, saleIndexKeys.authorization(accountId, pspReference));
}
