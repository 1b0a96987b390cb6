import { ownSellerOfKey } from './own-seller.ts';
import type { AttemptKind, Sale, SaleKind } from './sale.ts';
import { type AttemptRecord, givesBack, SaleRecord } from './sale-record.ts';
import { saleView } from './sale-view.ts';
import { isSameSale, mostPaymentsOfReference } from './same-sale.ts';
import { sharedReferenceFinding } from './shared-reference.ts';

/**
 * A payment, reversal, debit, refund or credit in the form that a store has, with amounts in minor units and moments in
 * epoch milliseconds. A store does not know what the point of sale was told about it.
 */
export interface StoredAttempt {
  /** If absent, this is a payment. */
  readonly kind?: AttemptKind;
  /** For a reversal: the payment whose money it gives back. */
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
  /** The debit that a refund gives back. */
  readonly refundOf?: string;
}

/** Whether the journal lacks something about a stored payment, so that the store has to add it. */
export function journalLacks(record: SaleRecord, { payment, kind }: StoredAttempt): boolean {
  const known = record.attempts.find((attempt) => attempt.payment === payment);
  if (known?.amount === undefined || known.gap === true) return true;
  // Every change of a debit, refund or credit shows its amount, but none shows what happened before.
  return saleKindOf(kind) !== 'payment' && !known.known;
}

/**
 * The kind of sale that a stored attempt belongs to: payments at a terminal, and reversals of them, belong to the kind
 * `payment`.
 */
function saleKindOf(kind: AttemptKind = 'payment'): SaleKind {
  return givesBack(kind) ? 'payment' : kind;
}

/** Adds to a sale what happened before its journal begins, and what the journal missed because its gateway crashed. */
export function addStoredAttempts(record: SaleRecord, stored: readonly StoredAttempt[]): void {
  for (const one of stored) {
    if (!journalLacks(record, one)) continue;
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
    // A reversal belongs to its payment's sale, whatever reference it has itself.
    if (kind !== 'reversal') record.reference ??= one.reference;
    record.debit ??= one.refundOf;
    if (key !== undefined) record.own ??= ownSellerOfKey(key);
  }
  record.attempts.sort(
    (one, other) => one.acceptedAt - other.acceptedAt || (one.payment < other.payment ? -1 : 1),
  );
  record.startedAt = Math.min(record.startedAt, record.attempts[0]?.acceptedAt ?? record.startedAt);
}

/** The payments of a sale, oldest first. */
export interface StoredSalePayments<Stored> {
  readonly payments: readonly Stored[];
  /** Present if too many payments share the sale's reference: how many, and whether this sale is the oldest of them. */
  readonly crowd?: { readonly payments: number; readonly isOldest: boolean };
}

/** The sale of some payments that are in no journal any more. */
export function saleFromStored({ payments: stored, crowd }: StoredSalePayments<StoredAttempt>): Sale {
  const [first] = stored;
  const record = new SaleRecord(saleKindOf(first?.kind), first?.acceptedAt ?? 0);
  addStoredAttempts(record, stored);
  record.saleId = first?.payment;
  if (crowd?.isOldest && first?.reference !== undefined)
    record.crowded = sharedReferenceFinding(first.reference, crowd.payments);
  return saleView(record);
}

/**
 * Divides payments of one reference, oldest first, into their sales (B236). If too many payments, including the `older`
 * ones, share the reference, it joins none of them (B237).
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
