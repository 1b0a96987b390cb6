import type { SaleKind } from '../../shared/sales/sale.ts';
import type { StoredAttempt } from '../../shared/sales/stored-attempts.ts';
import { readRowById, selectPageLatestFirst, whereEqualIfGiven } from '../store/read-rows.ts';
import type { CreditRow } from '../store/rows/credits.ts';
import type { RefundRow } from '../store/rows/refunds.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { Tx } from '../store/schema.ts';
import type { GatewayStore } from '../store/store.ts';

/** Selects the sales to read. Only sales that are older than `before` are read. */
interface Wanted {
  readonly kind?: SaleKind;
  readonly accountId?: string;
  readonly before?: string;
}

/**
 * Reads the sales that were not made at a terminal: the stored charges, refunds and payment links. Each charge, refund
 * or payment link is a sale of its own.
 */
export class NonTerminalSaleReader {
  readonly #store: GatewayStore;

  constructor(store: GatewayStore) {
    this.#store = store;
  }

  /** Gives at most `limit` sales of all kinds together, the latest first. */
  async page(wanted: Wanted, limit: number): Promise<StoredAttempt[]> {
    const { kind } = wanted;
    const found = await this.#store.read(async (db) => [
      ...(kind === undefined || kind === 'charge' ? await debitsOf(db, wanted, limit) : []),
      ...(kind === undefined || kind === 'refund' ? await refundsOf(db, wanted, limit) : []),
      ...(kind === undefined || kind === 'link' ? await creditsOf(db, wanted, limit) : []),
    ]);
    return found.sort((one, other) => (one.payment < other.payment ? 1 : -1)).slice(0, limit);
  }

  /** Gives the charge, refund or payment link with this identifier. */
  byId(id: string): Promise<StoredAttempt | undefined> {
    return this.#store.read(async (db) => {
      const debit = await readRowById(db, 'debits', id);
      if (debit) return (await chargeAttempts(db, [debit]))[0];
      const refund = await readRowById(db, 'refunds', id);
      if (refund) return refundAttempt(refund);
      const credit = await readRowById(db, 'credits', id);
      return credit && creditAttempt(credit);
    });
  }
}

async function debitsOf(db: Tx, { accountId, before }: Wanted, limit: number): Promise<StoredAttempt[]> {
  const debits = selectPageLatestFirst(db.selectFrom('debits').selectAll(), 'id', { limit, before });
  return chargeAttempts(db, await whereEqualIfGiven(debits, { account_id: accountId }).execute());
}

async function refundsOf(db: Tx, { accountId, before }: Wanted, limit: number): Promise<StoredAttempt[]> {
  const refunds = selectPageLatestFirst(db.selectFrom('refunds').selectAll(), 'id', { limit, before });
  return (await whereEqualIfGiven(refunds, { account_id: accountId }).execute()).map(refundAttempt);
}

async function creditsOf(db: Tx, { accountId, before }: Wanted, limit: number): Promise<StoredAttempt[]> {
  const credits = selectPageLatestFirst(db.selectFrom('credits').selectAll(), 'id', { limit, before });
  return (await whereEqualIfGiven(credits, { account_id: accountId }).execute()).map(creditAttempt);
}

/**
 * Returns the sale attempt for each debit. The captured amount and the amount that was given back come from the ledger.
 */
async function chargeAttempts(db: Tx, debits: readonly DebitRow[]): Promise<StoredAttempt[]> {
  if (debits.length === 0) return [];
  const ids = debits.map(({ id }) => id);
  const rows = await db
    .selectFrom('ledger')
    .select(['payment_id', 'kind', 'amount'])
    .where('payment_id', 'in', ids)
    .where('kind', 'in', ['captured', 'refunded', 'returned'])
    .execute();
  const sumOf = (id: string, wanted: string) =>
    rows
      .filter(({ payment_id, kind }) => payment_id === id && kind === wanted)
      .reduce((sum, { amount }) => sum + amount, 0);
  return debits.map((debit) => ({
    ...ofRow('charge', debit),
    outcome: debit.state === 'preauthorized' ? 'open' : debit.state === 'paid' ? 'success' : 'failure',
    reason: debit.state,
    concludedAt: debit.captured_at ?? debit.ended_at ?? undefined,
    charged: sumOf(debit.id, 'captured'),
    refunded: sumOf(debit.id, 'refunded') - sumOf(debit.id, 'returned'),
  }));
}

function refundAttempt(refund: RefundRow): StoredAttempt {
  const { status } = refund;
  return {
    ...ofRow('refund', refund),
    outcome: status === 'processing' ? 'open' : status === 'submitted' ? 'success' : 'failure',
    reason: status,
    concludedAt: refund.submitted_at ?? refund.failed_at ?? undefined,
    refundOf: refund.debit_id,
  };
}

function creditAttempt(credit: CreditRow): StoredAttempt {
  const { state } = credit;
  return {
    ...ofRow('link', credit),
    outcome: state === 'initiated' ? 'open' : state === 'completed' ? 'success' : 'failure',
    reason: state,
    concludedAt: credit.ended_at ?? undefined,
  };
}

function ofRow(kind: SaleKind, row: DebitRow | RefundRow | CreditRow) {
  return {
    kind,
    payment: row.id,
    accountId: row.account_id,
    amount: row.amount,
    currency: row.currency,
    acceptedAt: row.created_at,
    why: row.why,
    charged: 0,
  };
}
