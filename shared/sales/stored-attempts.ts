import { findOwnSellerByKey } from './own-seller.ts';
import type { AttemptKind, Sale, SaleKind } from './sale.ts';
import { type AttemptRecord, givesBack, SaleRecord } from './sale-record.ts';
import { makeSaleView } from './sale-view.ts';
import { isSameSale, mostPaymentsOfReference } from './same-sale.ts';
import { makeSharedReferenceFinding } from './shared-reference.ts';

/**
 * A payment, reversal, debit, refund or credit that a store has, with amounts in minor units and moments in epoch
 * milliseconds. A store does not know which outcomes the point of sale received.
 */
export interface StoredAttempt {
  /** If absent, this is a payment. */
  readonly kind?: AttemptKind;
  /** For a reversal: the payment whose money the reversal gives back. */
  readonly original?: string;
  readonly payment: string;
  readonly accountId: string;
  readonly reference?: string;
  readonly key?: string;
  readonly terminal?: string;
  readonly amount: number;
  readonly currency: string;
  readonly acceptedAt: number;
  readonly concludedAt?: number;
  readonly outcome: AttemptRecord['outcome'];
  readonly reason?: string;
  readonly why?: string;
  /** The sum charged, tip included. */
  readonly charged: number;
  /** The sum given back: from a debit, or by a reversal or card refund. */
  readonly refunded?: number;
  /** For a refund: the debit whose money the refund gives back. */
  readonly refundOf?: string;
}

/** Whether the journal lacks facts about a stored payment. If so, these facts have to be added from the store. */
export function isAttemptMissingInJournal(record: SaleRecord, { payment, kind }: StoredAttempt): boolean {
  const known = record.attempts.find((attempt) => attempt.payment === payment);
  if (known?.amount === undefined || known.gap === true) return true;
  // For a debit, refund or credit, a known amount does not prove that the journal has its beginning, because every
  // entry about a change has the amount.
  return saleKindOf(kind) !== 'payment' && !known.known;
}

/**
 * Returns the kind of the sale to which a stored attempt belongs. Payments, reversals and card refunds at a terminal
 * belong to a sale of the kind `payment`.
 */
function saleKindOf(kind: AttemptKind = 'payment'): SaleKind {
  return givesBack(kind) ? 'payment' : kind;
}

/**
 * Adds facts from the store to a sale. The facts are about attempts that began before the journal begins, and about
 * attempts whose entries the journal lacks because the gateway crashed.
 */
export function addStoredAttempts(record: SaleRecord, stored: readonly StoredAttempt[]): void {
  for (const one of stored) {
    if (!isAttemptMissingInJournal(record, one)) continue;
    const known = record.attempts.find(({ payment }) => payment === one.payment);
    const { kind = 'payment', original, payment, acceptedAt, key, terminal, amount, currency } = one;
    const { concludedAt, outcome, reason, why, charged: moved, refunded = 0 } = one;
    const attempt = {
      kind,
      original,
      payment,
      acceptedAt,
      key,
      terminal,
      amount,
      currency,
      concludedAt,
      outcome,
      reason,
      why,
      moved,
      refunded,
    };
    if (known) Object.assign(known, attempt);
    else record.attempts.push({ ...attempt, told: false, known: false });
    record.accountId ??= one.accountId;
    // The reference of a reversal is not used, because a reversal belongs to the sale of its original payment.
    if (kind !== 'reversal') record.reference ??= one.reference;
    record.debit ??= one.refundOf;
    if (key !== undefined) record.own ??= findOwnSellerByKey(key);
  }
  record.attempts.sort(
    (one, other) => one.acceptedAt - other.acceptedAt || (one.payment < other.payment ? -1 : 1),
  );
  record.startedAt = Math.min(record.startedAt, record.attempts[0]?.acceptedAt ?? record.startedAt);
}

/** The payments of a sale, oldest first. */
export interface StoredSalePayments<Stored> {
  readonly payments: readonly Stored[];
  /**
   * Present if too many payments share the sale's reference. Says how many payments share the reference, and whether
   * this sale is the oldest of the sales with that reference.
   */
  readonly crowd?: { readonly payments: number; readonly isOldest: boolean };
}

/** Returns the sale of payments that are no longer in any journal. */
export function makeSaleFromStored({ payments: stored, crowd }: StoredSalePayments<StoredAttempt>): Sale {
  const [first] = stored;
  const record = new SaleRecord(saleKindOf(first?.kind), first?.acceptedAt ?? 0);
  addStoredAttempts(record, stored);
  record.saleId = first?.payment;
  if (crowd?.isOldest && first?.reference !== undefined)
    record.crowded = makeSharedReferenceFinding(first.reference, crowd.payments);
  return makeSaleView(record);
}

/**
 * Divides payments that have the same reference, sorted oldest first, into their sales (B236). If a sale would have too
 * many payments, that sale and all later sales are divided further: only payments with the same key are one sale
 * (B237). `older` is the number of earlier payments with the reference; these payments are only counted.
 */
export function groupIntoSales<
  Stored extends Pick<StoredAttempt, 'acceptedAt' | 'concludedAt' | 'key' | 'payment'>,
>(payments: readonly Stored[], older = 0): StoredSalePayments<Stored>[] {
  const sales: Stored[][] = [];
  for (const payment of payments) {
    const last = sales.at(-1);
    if (last && isSameSale(last, payment.acceptedAt)) last.push(payment);
    else sales.push([payment]);
  }
  const first = sales.findIndex(({ length }) => length > mostPaymentsOfReference);
  if (first === -1) return sales.map((sale) => ({ payments: sale }));
  const crowded = sales.slice(first);
  const crowd = crowded.reduce((sum, { length }) => sum + length, older);
  const parts = crowded.flatMap((sale) => [
    ...Map.groupBy(sale, ({ key, payment }) => key ?? payment).values(),
  ]);
  return [
    ...sales.slice(0, first).map((sale) => ({ payments: sale })),
    ...parts.map((part, index) => ({ payments: part, crowd: { payments: crowd, isOldest: index === 0 } })),
  ];
}
