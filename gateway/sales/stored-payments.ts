import {
  groupIntoSales,
  type StoredAttempt,
  type StoredSalePayments,
} from '../../shared/sales/stored-attempts.ts';
import { selectPageLatestFirst, whereEqualIfGiven } from '../store/read-rows.ts';
import type { Tx } from '../store/schema.ts';
import type { GatewayStore } from '../store/store.ts';
import type { TerminalService } from '../terminals/service.ts';

/** The maximum number of payments whose reversals are read in one query. */
const originalsAtOnce = 500;

/** If more payments than this share a reference, only the latest of these payments are joined to sales. */
const mostOfReference = 1_000;

/** The properties of the stored payments that a request asks for. */
interface StoredFilter {
  readonly accountId?: string;
  readonly terminalId?: string;
  readonly saleReferenceId?: string;
  readonly idempotencyKey?: string;
}

/** A stored payment, and all payments of its sale, the oldest first. */
interface PaymentInSale {
  readonly payment: StoredAttempt & { readonly terminalId: string };
  readonly sale: StoredSalePayments<PaymentInSale['payment']>;
}

/** Reads stored payments, and joins them to sales by their references. */
export class StoredTerminalSaleReader {
  readonly #store: GatewayStore;
  readonly #terminals: TerminalService;

  constructor(store: GatewayStore, terminals: TerminalService) {
    this.#store = store;
    this.#terminals = terminals;
  }

  /** Gives the poi_id of an account's terminal. */
  terminalOf(accountId: string, identifier: string): string | undefined {
    const terminal = this.#terminals.byId(identifier);
    return terminal?.accountId === accountId ? terminal.poiId : undefined;
  }

  /** Gives at most `limit` payments that are older than `before`, the latest first. */
  async page(filter: StoredFilter, before: string | undefined, limit: number): Promise<PaymentInSale[]> {
    const { accountId, terminalId, saleReferenceId, idempotencyKey } = filter;
    const rows = await this.#store.read((db) => {
      return whereEqualIfGiven(selectPageLatestFirst(selectPayments(db), 'id', { before, limit }), {
        account_id: accountId,
        'payments.terminal_id': terminalId,
        sale_reference_id: saleReferenceId,
        idempotency_key: idempotencyKey,
      }).execute();
    });
    return this.#joinToSales(rows);
  }

  /** Gives the payments of the sale to which a payment belongs; undefined if there is no such payment. */
  async saleOf(payment: string): Promise<StoredSalePayments<StoredAttempt> | undefined> {
    const [found] = await this.salesOf([payment]);
    return found;
  }

  /** Gives the sales to which these payments belong. */
  async salesOf(of: readonly string[]): Promise<StoredSalePayments<StoredAttempt>[]> {
    const rows = await this.#store.read((db) => selectPayments(db).where('id', 'in', of).execute());
    const found = await this.#joinToSales(rows);
    return [...new Set(found.map(({ sale }) => sale))];
  }

  /**
   * Finds the whole sale of each payment. Payments with the same reference may be one sale. A reversal belongs to the
   * sale of the payment that it reverses.
   */
  async #joinToSales(rows: readonly Row[]): Promise<PaymentInSale[]> {
    const nonReversals = await this.#replaceReversals(rows);
    const sales = new Map<string, PaymentInSale['sale']>();
    for (const { latest, older } of await this.#readSharedReferences(nonReversals))
      for (const sale of groupIntoSales(latest, older))
        for (const { payment } of sale.payments) sales.set(payment, sale);
    for (const row of nonReversals)
      if (!sales.has(row.id)) sales.set(row.id, { payments: [this.#attemptOf(row)] });
    await this.#addReversals(sales);
    return rows.map((row) => {
      const payment = this.#attemptOf(row);
      return { payment, sale: sales.get(payment.payment) ?? { payments: [payment] } };
    });
  }

  /** Replaces each reversal by the payment that it reverses. */
  async #replaceReversals(rows: readonly Row[]): Promise<Row[]> {
    const nonReversals = rows.filter(({ kind }) => kind !== 'reversal');
    const known = new Set(nonReversals.map(({ id }) => id));
    const wanted = new Set(rows.flatMap(({ original_id: id }) => (id === null || known.has(id) ? [] : [id])));
    if (wanted.size === 0) return nonReversals;
    const originals = await this.#store.read((db) =>
      selectPayments(db)
        .where('id', 'in', [...wanted])
        .execute(),
    );
    return [...nonReversals, ...originals];
  }

  /** Adds to each sale the reversals of its payments. The references of the reversals do not matter (B510). */
  async #addReversals(sales: Map<string, PaymentInSale['sale']>): Promise<void> {
    const ids = [...sales.keys()];
    for (let from = 0; from < ids.length; from += originalsAtOnce) {
      const some = ids.slice(from, from + originalsAtOnce);
      const rows = await this.#store.read((db) =>
        selectPayments(db).where('original_id', 'in', some).orderBy('id').execute(),
      );
      const found = Map.groupBy(rows, ({ original_id }) => sales.get(original_id ?? ''));
      for (const [sale, reversals] of found) {
        if (!sale) continue;
        const added = reversals.map((row) => this.#attemptOf(row));
        const all = [...sale.payments, ...added].sort(oldestFirst);
        const whole = { ...sale, payments: all };
        for (const { payment } of all) sales.set(payment, whole);
      }
    }
  }

  /** For each reference that several payments share, gives the latest payments and the number of older payments. */
  async #readSharedReferences(
    rows: readonly Row[],
  ): Promise<{ latest: PaymentInSale['payment'][]; older: number }[]> {
    const references = [...new Set(rows.flatMap(({ sale_reference_id: reference }) => reference ?? []))];
    const accounts = [...new Set(rows.map(({ account_id }) => account_id))];
    if (references.length === 0) return [];
    return this.#store.read(async (db) => {
      const counted = await db
        .selectFrom('payments')
        .select(['account_id', 'sale_reference_id', (select) => select.fn.countAll<number>().as('payments')])
        .where('account_id', 'in', accounts)
        .where('sale_reference_id', 'in', references)
        .where('kind', '!=', 'reversal')
        .groupBy(['account_id', 'sale_reference_id'])
        .execute();
      const found: { latest: PaymentInSale['payment'][]; older: number }[] = [];
      for (const { account_id, sale_reference_id, payments: count } of counted) {
        if (Number(count) < 2) continue;
        const query = selectPageLatestFirst(selectPayments(db), 'id', { limit: mostOfReference });
        const all = await whereEqualIfGiven(query, { account_id })
          .where('sale_reference_id', '=', sale_reference_id)
          .where('kind', '!=', 'reversal')
          .execute();
        found.push({
          latest: all.map((row) => this.#attemptOf(row)).reverse(),
          older: Number(count) - all.length,
        });
      }
      return found;
    });
  }

  #attemptOf(row: Row): PaymentInSale['payment'] {
    const terminal = this.#terminals.byId(row.terminal_id);
    // If the terminal has another account or environment, it is another terminal with the same identifier (B8).
    const isSame = terminal?.accountId === row.account_id && terminal.environment === row.environment;
    const givesBack = row.kind !== 'payment';
    return {
      kind: row.kind === 'refund' ? 'cardRefund' : row.kind,
      ...(row.original_id !== null && { original: row.original_id }),
      payment: row.id,
      accountId: row.account_id,
      reference: row.sale_reference_id ?? referenceIn(row.message),
      key: row.idempotency_key ?? undefined,
      terminal: isSame ? terminal.poiId : undefined,
      terminalId: row.terminal_id,
      amount: row.amount,
      currency: row.currency,
      acceptedAt: row.accepted_at,
      concludedAt: row.concluded_at ?? undefined,
      outcome: row.result ?? 'open',
      reason: row.error_condition ?? undefined,
      why: row.why ?? undefined,
      charged: givesBack ? 0 : (row.total ?? 0),
      refunded: givesBack ? (row.total ?? 0) : 0,
    };
  }
}

/** Sorts the older payment first. The identifier of an older payment comes first in the order of identifiers. */
function oldestFirst(one: StoredAttempt, other: StoredAttempt): number {
  return one.payment < other.payment ? -1 : 1;
}

/** Gives the reference in a payment's message. Before migration 0020 only the message had the reference. */
function referenceIn(message: string): string | undefined {
  return message.includes('"SaleReferenceID"') ? JSON.parse(message).SaleData?.SaleReferenceID : undefined;
}

function selectPayments(db: Tx) {
  return db
    .selectFrom('payments')
    .leftJoin('payment_results', 'payment_results.payment_id', 'id')
    .select([
      'id',
      'kind',
      'original_id',
      'account_id',
      'environment',
      'payments.terminal_id',
      'amount',
      'currency',
      'idempotency_key',
      'accepted_at',
      'message',
      'sale_reference_id',
      'concluded_at',
      'result',
      'error_condition',
      'total',
      'why',
    ]);
}
type Row = Awaited<ReturnType<ReturnType<typeof selectPayments>['execute']>>[number];
