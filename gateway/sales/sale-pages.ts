import type { Sale, SaleAttempt, SaleKind } from '../../shared/sales/sale.ts';
import type { SaleAssembler } from '../../shared/sales/sales.ts';
import type { StoredAttempt, StoredSalePayments } from '../../shared/sales/stored-attempts.ts';
import { matchesFilter, type SaleFilter } from './sale-filter.ts';
import type { NonTerminalSaleReader } from './stored-non-terminal-sales.ts';
import type { StoredTerminalSaleReader } from './stored-payments.ts';

/** `atOnce` is the number of payments in one reading. `mostReads` is the maximum number of readings for one page. */
const atOnce = 200;
const mostReads = 50;

/**
 * A page of sales, the latest first. `next` is the position of the next page, or undefined if there is no next page.
 */
export interface SalePage {
  readonly sales: readonly Sale[];
  readonly next: string | undefined;
}

/** A sale and its position in the list. */
interface ListedSale {
  readonly sale: Sale;
  /** The sort key: the identifier of a payment, or a text made from the time at which the sale began. */
  readonly position: string;
}

interface SalePagesParts {
  readonly stored: StoredTerminalSaleReader;
  readonly storedNonTerminalSales: NonTerminalSaleReader;
  /** Makes a sale from stored payments, and adds what only the journal has. */
  complete(sale: StoredSalePayments<StoredAttempt>): Sale;
}

/**
 * Makes the pages of the list of sales (B235). Most sales of a page are read from the store. The journal adds what the
 * store does not have. A sale without a payment is only in the journal. Its start time decides its place in the list.
 */
export class SalePageReader {
  readonly #parts: SalePagesParts;

  constructor(parts: SalePagesParts) {
    this.#parts = parts;
  }

  /**
   * Gives the sales that match the filter and are older than the list position `before`. `sales` are the sales that the
   * journal has.
   */
  async page(
    sales: SaleAssembler,
    filter: SaleFilter,
    before: string | undefined,
    limit: number,
  ): Promise<SalePage> {
    const found: ListedSale[] = [];
    let from = before;
    for (let reads = 0; reads < mostReads; reads++) {
      const { stored, until } = await this.#readStored(filter, from);
      for (const one of [...stored, ...withoutPayment(sales, from, until)].sort(latestFirst)) {
        if (!matchesFilter(one.sale, filter)) continue;
        if (found.length === limit) return pageOf(found, found.at(-1)?.position);
        found.push(one);
      }
      if (until === undefined) return pageOf(found, undefined);
      from = until;
    }
    return pageOf(found, from);
  }

  /**
   * Reads stored sales, the latest first. The returned position `until` says how far the reading went: the result
   * contains all stored sales down to this position. If no `until` is returned, no older sales are stored.
   */
  async #readStored(
    filter: SaleFilter,
    from: string | undefined,
  ): Promise<{ stored: ListedSale[]; until?: string }> {
    const payments = await this.#readPayments(filter, from);
    const others = await this.#readNonTerminalSales(filter, from);
    const ends = [payments.map(({ payment }) => payment.payment), others.map(({ payment }) => payment)]
      .filter(({ length }) => length === atOnce)
      .map((positions) => positions.at(-1) ?? '');
    const until = ends.length === 0 ? undefined : ends.reduce((one, other) => (one > other ? one : other));
    const stored = [
      ...this.#salesOf(payments, filter),
      ...others.map((one) => ({ sale: this.#parts.complete({ payments: [one] }), position: one.payment })),
    ];
    return until === undefined
      ? { stored }
      : { stored: stored.filter(({ position }) => position >= until), until };
  }

  async #readPayments({ terminal, ...filter }: SaleFilter, from: string | undefined) {
    if (filter.kind !== undefined && !isAtTerminal(filter.kind)) return [];
    return this.#parts.stored.page({ ...filter, terminalId: terminal?.id }, storedPosition(from), atOnce);
  }

  /** Reads the stored charges, refunds and payment links. These sales have no terminal, no reference and no key. */
  async #readNonTerminalSales(
    { terminal, saleReferenceId, idempotencyKey, kind, accountId }: SaleFilter,
    from: string | undefined,
  ) {
    if (terminal !== undefined || saleReferenceId !== undefined || idempotencyKey !== undefined) return [];
    if (kind !== undefined && isAtTerminal(kind)) return [];
    const before = storedPosition(from);
    return this.#parts.storedNonTerminalSales.page({ kind, accountId, before }, atOnce);
  }

  /**
   * Returns each sale once, at the place of its oldest payment that matches the filter. Two sales in the database may
   * be one sale in the journal.
   */
  #salesOf(
    payments: Awaited<ReturnType<StoredTerminalSaleReader['page']>>,
    { terminal, idempotencyKey }: SaleFilter,
  ): ListedSale[] {
    return payments.flatMap(({ payment: { payment }, sale: stored }) => {
      const oldest = stored.payments.find(
        (one) =>
          (terminal === undefined || one.terminalId === terminal.id) &&
          (idempotencyKey === undefined || one.key === idempotencyKey),
      );
      if (oldest?.payment !== payment) return [];
      const sale = this.#parts.complete(stored);
      const isOlder = (one: SaleAttempt) =>
        one.payment < payment &&
        (terminal === undefined || one.terminal === terminal.poiId) &&
        (idempotencyKey === undefined || one.idempotencyKey === idempotencyKey);
      return sale.attempts.some(isOlder) ? [] : [{ sale, position: payment }];
    });
  }
}

function isAtTerminal(kind: SaleKind): boolean {
  return kind === 'payment' || kind === 'cardRefund';
}

/** Gives the sales that are only in the journal. The requests for these sales were refused or lost. */
function* withoutPayment(
  sales: SaleAssembler,
  from: string | undefined,
  until: string | undefined,
): Iterable<ListedSale> {
  for (const sale of sales.withoutPayments()) {
    const position = `${timePrefix(Date.parse(sale.startedAt))}.${sale.saleId}`;
    if ((from === undefined || position < from) && (until === undefined || position > until))
      yield { sale, position };
  }
}

/** Gives the upper limit for the identifiers of payments on the next page. */
function storedPosition(from: string | undefined): string | undefined {
  return from?.includes('.') ? `${from.split('.')[0]}-ffff-ffff-ffffffffffff` : from;
}

/** Gives the first part of the identifiers of payments that were made at this time. */
function timePrefix(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

function latestFirst(one: ListedSale, other: ListedSale): number {
  return one.position < other.position ? 1 : -1;
}

function pageOf(found: readonly ListedSale[], next: string | undefined): SalePage {
  return { sales: found.map(({ sale }) => sale), next };
}
