import type { JournalEntry, JournalReader } from '../../shared/journal.ts';
import type { Finding } from '../../shared/lint/finding.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Sale, SaleAttempt, SaleKind } from '../../shared/sales/sale.ts';
import { Sales } from '../../shared/sales/sales.ts';
import { type StoredAttempt, type StoredSale, storedSale } from '../../shared/sales/stored-attempts.ts';
import type { FindingReporter } from '../findings/finding-reporter.ts';
import type { FindingsService } from '../findings/service.ts';
import { ApiError } from '../http/errors.ts';
import { IdleJournalReader } from './idle-journal-reader.ts';
import { SaleBeginningReader } from './sale-beginning-reader.ts';
import { matchesFilter, type SaleFilter } from './sale-filter.ts';
import { SaleFindings } from './sale-findings.ts';
import type { StoredNonTerminalSales } from './stored-non-terminal-sales.ts';
import type { StoredPayments } from './stored-payments.ts';
import { WholeSaleFindings } from './whole-sale-findings.ts';

/** The number of payments in one reading, and the maximum number of readings for a page. */
const atOnce = 200;
const mostReads = 50;
/** If an outcome does not reach the POS within this many ms, the outcome counts as not received. */
const tellingMs = 60_000;

/** While there is a listener, the real ms between two searches for mistakes that become visible only with time. */
const lookMs = 5_000;

/** While nothing else happens, the maximum number of entries that are read in a turn of the event loop (1 to 2 ms). */
const fewEntries = 200;

/** A page of sales, the latest first. It has the position of the next page, or undefined if there is none. */
interface SalePage {
  readonly sales: readonly Sale[];
  readonly next: string | undefined;
}

interface Placed {
  readonly sale: Sale;
  /** The sort key of sales: the identifier of a payment, or a text made from the time at which the sale began. */
  readonly place: string;
}

interface SalesParts {
  runtime: Runtime;
  /** The journal of all gateways. */
  journal: JournalReader;
  /** Whether the journal has the entries of all other gateways, if there are any. */
  heardAll: boolean;
  stored: StoredPayments;
  storedNonTerminalSales: StoredNonTerminalSales;
  findings: FindingsService;
  /** Receives the findings about sales as a whole. If it is undefined, no mistakes are looked for. */
  told: FindingReporter | undefined;
  /** Whether to read while nothing else happens. True if sales will be requested and there are no other gateways. */
  readsWhileQuiet: boolean;
}

/**
 * The sales of all accounts (B235), from the journal and the store. The journal is read when sales are requested, at
 * each entry while there is a listener, and while nothing else happens (B362).
 */
export class SalesService {
  readonly #parts: SalesParts;
  readonly #listeners = new Set<(sale: Sale) => void>();
  #sales: Sales;
  #passed = 0;
  #follows: (() => void) | undefined;
  readonly #quiet: IdleJournalReader | undefined;
  readonly #found: SaleFindings;
  readonly #ofWholeSales: WholeSaleFindings;
  readonly #before: SaleBeginningReader;

  constructor(parts: SalesParts) {
    this.#parts = parts;
    this.#found = new SaleFindings(parts.findings);
    this.#ofWholeSales = new WholeSaleFindings(parts.told);
    this.#sales = this.#newSales();
    this.#before = new SaleBeginningReader(parts.stored, (sale) => this.#asKnown(sale));
    parts.findings.listen((requests) => this.#blame(requests));
    if (parts.readsWhileQuiet)
      this.#quiet = new IdleJournalReader(parts.runtime, parts.journal, () => this.#readSome());
  }

  #newSales(): Sales {
    const { heardAll, stored } = this.#parts;
    return new Sales({ heardAll, terminalOf: (...named) => stored.terminalOf(...named) });
  }

  /** Reads the journal to its end. If it dropped entries before they were read, the sales are made again from it. */
  async #upToDate(): Promise<Sales> {
    await this.#parts.journal.complete();
    this.findMistakes();
    return this.#sales;
  }

  #follow(): () => void {
    const { journal, findings } = this.#parts;
    const stopJudging = findings.follow();
    const stop = journal.listen((entry) => {
      if (entry.seq > this.#passed) this.#take(entry);
    });
    // While there is a listener, mistakes are found without a new request, for example a missing status request.
    const rounds = new Rounds(this.#parts.runtime.realClock, lookMs, async () => findings.findMistakes());
    findings.findMistakes();
    return () => {
      stop();
      stopJudging();
      void rounds.stop();
    };
  }

  #readOn(): void {
    for (const entry of this.#unread()) this.#take(entry);
  }

  /** Reads a few entries, and returns whether there are more. */
  #readSome(): boolean {
    const unread = this.#unread();
    for (const entry of unread.slice(0, fewEntries)) this.#take(entry);
    return unread.length > fewEntries;
  }

  #unread(): JournalEntry[] {
    const { journal } = this.#parts;
    if (journal.droppedUpTo > this.#passed) {
      this.#sales = this.#newSales();
      this.#passed = 0;
      this.#ofWholeSales.again();
      this.#found.again();
    }
    return journal.since(this.#passed);
  }

  /** From now on reads the journal only on request. */
  stop(): void {
    this.#quiet?.stop();
    this.#before.stop();
    this.#follows?.();
    this.#follows = undefined;
  }

  #take(entry: JournalEntry): void {
    this.#passed = entry.seq;
    const changed = this.#sales.add(entry);
    if (entry.kind === 'payment.accepted' && entry.payment !== undefined && this.#sales.begins(entry.payment))
      this.#before.ask(entry.payment);
    this.#ofWholeSales.judge(this.#sales, changed);
    this.#report(changed);
  }

  /** Finds all mistakes that are certain by now. */
  findMistakes(): void {
    this.#readOn();
    this.#parts.findings.findMistakes();
    this.#setFindings();
  }

  /** Gives the findings about sales as a whole, as far as the journal has been read. */
  wholeSaleFindings(): Finding[] {
    return this.#ofWholeSales.list();
  }

  /** Returns whether a request belongs to a sale, as far as the journal has been read. */
  hasSaleOf(request: PosRequest): boolean {
    return this.#sales.ofRequest(request) !== undefined;
  }

  #report(saleIds: readonly string[]): void {
    if (this.#listeners.size === 0) return;
    for (const saleId of saleIds) {
      const sale = this.#sales.get(saleId);
      if (sale) for (const listener of [...this.#listeners]) listener(sale);
    }
  }

  /** Calls `listener` with each sale that changes from now on. Returns a function that stops this. */
  listen(listener: (sale: Sale) => void): () => void {
    this.#readOn();
    this.#listeners.add(listener);
    this.#follows ??= this.#follow();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#follows?.();
      this.#follows = undefined;
    };
  }

  /** Notes findings about requests. Without a listener, they are assigned to sales when sales are requested. */
  #blame(requests: Iterable<PosRequest>): void {
    this.#found.note(requests);
    if (this.#listeners.size > 0) this.#setFindings();
  }

  #setFindings(): void {
    this.#report(this.#found.setAt(this.#sales));
  }

  /**
   * Finds a sale by its saleId, or by the identifier of one of its payments.
   *
   * @throws ApiError notFound
   */
  async find(saleId: string): Promise<Sale> {
    const sales = await this.#upToDate();
    const known = sales.get(saleId) ?? sales.ofPayment(saleId);
    const payment = known ? known.attempts[0]?.payment : saleId;
    const stored = payment === undefined ? undefined : await this.#storedOf(payment);
    if (stored) return this.#asKnown(stored);
    if (known) return known;
    throw new ApiError('notFound', { message: `Sale ${saleId} does not exist` });
  }

  async #storedOf(payment: string): Promise<StoredSale<StoredAttempt> | undefined> {
    const sale = await this.#parts.stored.saleOf(payment);
    if (sale) return sale;
    const attempt = await this.#parts.storedNonTerminalSales.byId(payment);
    return attempt && { payments: [attempt] };
  }

  async page(filter: SaleFilter, before: string | undefined, limit: number): Promise<SalePage> {
    const sales = await this.#upToDate();
    const found: Placed[] = [];
    let from = before;
    for (let reads = 0; reads < mostReads; reads++) {
      const { placed, until } = await this.#stored(filter, from);
      for (const one of [...placed, ...withoutPayment(sales, from, until)].sort(latestFirst)) {
        if (!matchesFilter(one.sale, filter)) continue;
        if (found.length === limit) return pageOf(found, found.at(-1)?.place);
        found.push(one);
      }
      if (until === undefined) return pageOf(found, undefined);
      from = until;
    }
    return pageOf(found, from);
  }

  /** Gives a page of stored sales, the latest first. The page ends at `until`, which is undefined on the last page. */
  async #stored(filter: SaleFilter, from: string | undefined): Promise<{ placed: Placed[]; until?: string }> {
    const rows = await this.#rows(filter, from);
    const others = await this.#others(filter, from);
    const ends = [rows.map(({ payment }) => payment.payment), others.map(({ payment }) => payment)]
      .filter(({ length }) => length === atOnce)
      .map((places) => places.at(-1) ?? '');
    const until = ends.length === 0 ? undefined : ends.reduce((one, other) => (one > other ? one : other));
    const placed = [
      ...this.#ofRows(rows, filter),
      ...others.map((one) => ({ sale: this.#asKnown({ payments: [one] }), place: one.payment })),
    ];
    return until === undefined ? { placed } : { placed: placed.filter(({ place }) => place >= until), until };
  }

  /** Gives the payments that moved money over a minute ago and whose result the POS has not received (B241). */
  async untold(): Promise<ReturnType<Sales['untold']>> {
    const sales = await this.#upToDate();
    for (const payment of sales.withoutBeginning()) {
      const stored = await this.#storedOf(payment);
      if (stored) this.#asKnown(stored);
    }
    return sales.untold(this.#parts.runtime.clock.now() - tellingMs);
  }

  async #rows({ terminal, ...filter }: SaleFilter, from: string | undefined) {
    if (filter.kind !== undefined && !isAtTerminal(filter.kind)) return [];
    return this.#parts.stored.page({ ...filter, terminalId: terminal?.id }, storedPlace(from), atOnce);
  }

  /** Reads the stored charges, refunds and payment links. They have no terminal, no reference and no key. */
  async #others({ terminal, saleReferenceId, idempotencyKey, kind, accountId }: SaleFilter, from?: string) {
    if (terminal !== undefined || saleReferenceId !== undefined || idempotencyKey !== undefined) return [];
    if (kind !== undefined && isAtTerminal(kind)) return [];
    return this.#parts.storedNonTerminalSales.page({ kind, accountId, before: storedPlace(from) }, atOnce);
  }

  /** Gives each sale once, at its oldest payment that matches. Two sales of the store may be one in the journal. */
  #ofRows(
    rows: Awaited<ReturnType<StoredPayments['page']>>,
    { terminal, idempotencyKey }: SaleFilter,
  ): Placed[] {
    return rows.flatMap(({ payment: { payment }, sale }) => {
      const oldest = sale.payments.find(
        (one) =>
          (terminal === undefined || one.terminalId === terminal.id) &&
          (idempotencyKey === undefined || one.key === idempotencyKey),
      );
      if (oldest?.payment !== payment) return [];
      const known = this.#asKnown(sale);
      const isOlder = (one: SaleAttempt) =>
        one.payment < payment &&
        (terminal === undefined || one.terminal === terminal.poiId) &&
        (idempotencyKey === undefined || one.idempotencyKey === idempotencyKey);
      return known.attempts.some(isOlder) ? [] : [{ sale: known, place: payment }];
    });
  }

  /** Gives a sale of stored payments, completed from the journal. Listeners get what the journal did not have. */
  #asKnown(sale: StoredSale<StoredAttempt>): Sale {
    const { payments: stored, crowd } = sale;
    const [{ accountId, reference } = { accountId: '', reference: undefined }] = stored;
    if (crowd && reference !== undefined) {
      const divided = this.#sales.learnCrowd(accountId, reference, crowd.payments);
      this.#ofWholeSales.judge(this.#sales, divided);
      this.#report(divided);
    }
    const known = this.#sales.ofStored(stored);
    if (!known) return storedSale(sale);
    if (!this.#sales.misses(known.saleId, stored)) return known;
    const completed = this.#sales.complete(known.saleId, stored) ?? known;
    this.#report([completed.saleId]);
    return completed;
  }
}

function isAtTerminal(kind: SaleKind): boolean {
  return kind === 'payment' || kind === 'cardRefund';
}

/** Gives the sales that only the journal has, because their requests were refused or lost. */
function* withoutPayment(
  sales: Sales,
  from: string | undefined,
  until: string | undefined,
): Iterable<Placed> {
  for (const sale of sales.withoutPayments()) {
    const place = `${timePrefix(Date.parse(sale.startedAt))}.${sale.saleId}`;
    if ((from === undefined || place < from) && (until === undefined || place > until)) yield { sale, place };
  }
}

/** Gives the upper limit for the identifiers of payments on the next page. */
function storedPlace(from: string | undefined): string | undefined {
  return from?.includes('.') ? `${from.split('.')[0]}-ffff-ffff-ffffffffffff` : from;
}

/** Gives the text with which the identifiers of payments begin that were made at this time. */
function timePrefix(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

function latestFirst(one: Placed, other: Placed): number {
  return one.place < other.place ? 1 : -1;
}

function pageOf(found: readonly Placed[], next: string | undefined): SalePage {
  return { sales: found.map(({ sale }) => sale), next };
}
