import type { JournalEntry, JournalReader } from '../../shared/journal.ts';
import type { Finding } from '../../shared/lint/finding.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import { PeriodicRunner } from '../../shared/rounds.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { SaleAssembler } from '../../shared/sales/sales.ts';
import {
  makeSaleFromStored,
  type StoredAttempt,
  type StoredSalePayments,
} from '../../shared/sales/stored-attempts.ts';
import type { FindingReporter } from '../findings/finding-reporter.ts';
import type { FindingsService } from '../findings/service.ts';
import { ApiError } from '../http/errors.ts';
import { IdleJournalReader } from './idle-journal-reader.ts';
import { SaleBeginningReader } from './sale-beginning-reader.ts';
import type { SaleFilter } from './sale-filter.ts';
import { SaleFindingAssigner } from './sale-findings.ts';
import { type SalePage, SalePageReader } from './sale-pages.ts';
import type { NonTerminalSaleReader } from './stored-non-terminal-sales.ts';
import type { StoredTerminalSaleReader } from './stored-payments.ts';
import { WholeSaleFindings } from './whole-sale-findings.ts';

/** If an outcome does not reach the POS within this many ms, the outcome counts as not received. */
const longestTellingMs = 60_000;

/**
 * The time in real ms between two searches for mistakes that show only after some time. These searches run only while
 * there is a listener.
 */
const searchEveryMs = 5_000;

/**
 * The maximum number of entries that are read in one turn of the event loop while nothing else happens. Reading them
 * takes 1 to 2 ms.
 */
const entriesPerTurn = 200;

interface SalesParts {
  runtime: Runtime;
  /** The journal of all gateways. */
  journal: JournalReader;
  /** Whether the journal has the entries of all other gateways. It is also true if there are no other gateways. */
  heardAll: boolean;
  stored: StoredTerminalSaleReader;
  storedNonTerminalSales: NonTerminalSaleReader;
  findings: FindingsService;
  /**
   * Receives the findings that are about a whole sale, not about a single request. If it is undefined, the gateway does
   * not look for mistakes.
   */
  reporter: FindingReporter | undefined;
  /**
   * Whether to read the journal while nothing else happens. It is true if sales will be requested and there are no
   * other gateways.
   */
  readsWhileQuiet: boolean;
}

/**
 * The sales of all accounts (B235), from the journal and the store. The journal is read when a client requests sales,
 * and when nothing else happens. While there is a listener, the journal is also read at each new entry (B362).
 */
export class SalesService {
  readonly #parts: SalesParts;
  readonly #listeners = new Set<(sale: Sale) => void>();
  #sales: SaleAssembler;
  #readUpTo = 0;
  /** Whether findings have to be assigned again, because sales with findings were divided or merged. */
  #isRegrouped = false;
  #stopFollowing: (() => void) | undefined;
  readonly #idleReader: IdleJournalReader | undefined;
  readonly #requestFindings: SaleFindingAssigner;
  readonly #wholeSaleFindings: WholeSaleFindings;
  readonly #beginnings: SaleBeginningReader;
  readonly #pages: SalePageReader;

  constructor(parts: SalesParts) {
    this.#parts = parts;
    this.#requestFindings = new SaleFindingAssigner(parts.findings);
    this.#wholeSaleFindings = new WholeSaleFindings(parts.reporter);
    this.#sales = this.#newSales();
    this.#beginnings = new SaleBeginningReader(parts.stored, (sale) => this.#complete(sale));
    this.#pages = new SalePageReader({ ...parts, complete: (sale) => this.#complete(sale) });
    parts.findings.listen((requests) => this.#noteFindings(requests));
    if (parts.readsWhileQuiet)
      this.#idleReader = new IdleJournalReader(parts.runtime, parts.journal, () => this.#readSome());
  }

  #newSales(): SaleAssembler {
    const { heardAll, stored } = this.#parts;
    return new SaleAssembler({
      heardAll,
      terminalOf: (...named) => stored.terminalOf(...named),
      regrouped: (saleId) => {
        if (this.#requestFindings.noteRegrouped(saleId)) this.#isRegrouped = true;
      },
    });
  }

  /**
   * Reads the journal to its end. If the journal dropped entries before they were read here, all sales are made again
   * from the journal.
   */
  async #upToDate(): Promise<SaleAssembler> {
    await this.#parts.journal.complete();
    this.findMistakes();
    return this.#sales;
  }

  #follow(): () => void {
    const { journal, findings } = this.#parts;
    const stopJudging = findings.follow();
    const stop = journal.listen((entry) => {
      if (entry.seq > this.#readUpTo) this.#addEntry(entry);
    });
    // While there is a listener, this repeated search finds mistakes such as a missing status request, even if no new
    // request comes.
    const rounds = new PeriodicRunner(this.#parts.runtime.realClock, searchEveryMs, async () =>
      findings.findMistakes(),
    );
    findings.findMistakes();
    return () => {
      stop();
      stopJudging();
      void rounds.stop();
    };
  }

  #readJournal(): void {
    for (const entry of this.#unreadEntries()) this.#addEntry(entry);
  }

  /** Reads a few entries, and returns whether there are more entries. */
  #readSome(): boolean {
    const unread = this.#unreadEntries();
    for (const entry of unread.slice(0, entriesPerTurn)) this.#addEntry(entry);
    return unread.length > entriesPerTurn;
  }

  #unreadEntries(): JournalEntry[] {
    const { journal } = this.#parts;
    if (journal.droppedUpTo > this.#readUpTo) {
      this.#sales = this.#newSales();
      this.#readUpTo = 0;
      this.#wholeSaleFindings.reset();
      this.#requestFindings.reset();
    }
    return journal.since(this.#readUpTo);
  }

  /** From now on, the journal is read only when a client requests sales. */
  stop(): void {
    this.#idleReader?.stop();
    this.#beginnings.stop();
    this.#stopFollowing?.();
    this.#stopFollowing = undefined;
  }

  #addEntry(entry: JournalEntry): void {
    this.#readUpTo = entry.seq;
    const changed = this.#sales.add(entry);
    if (entry.kind === 'payment.accepted' && entry.payment !== undefined && this.#sales.begins(entry.payment))
      this.#beginnings.ask(entry.payment);
    this.#assignIfRegrouped();
    this.#wholeSaleFindings.judge(this.#sales, changed);
    this.#report(changed);
  }

  /** Finds all mistakes that are certain by now. */
  findMistakes(): void {
    this.#readJournal();
    this.#parts.findings.findMistakes();
    this.#assignFindings();
  }

  /**
   * Returns the findings that are about a whole sale, not about a single request. Entries of the journal that are not
   * read yet are left out.
   */
  wholeSaleFindings(): Finding[] {
    return this.#wholeSaleFindings.list();
  }

  /** Returns whether a request belongs to a sale. Entries of the journal that are not read yet are left out. */
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

  /** From now on, calls `listener` with each sale that changes. Returns a function that ends these calls. */
  listen(listener: (sale: Sale) => void): () => void {
    this.#readJournal();
    this.#listeners.add(listener);
    this.#stopFollowing ??= this.#follow();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stopFollowing?.();
      this.#stopFollowing = undefined;
    };
  }

  /**
   * Notes findings about requests. If there is no listener, the findings are assigned to sales only when a client
   * requests sales.
   */
  #noteFindings(requests: Iterable<PosRequest>): void {
    this.#requestFindings.note(requests);
    if (this.#listeners.size > 0) this.#assignFindings();
  }

  #assignFindings(): void {
    this.#isRegrouped = false;
    this.#report(this.#requestFindings.assignTo(this.#sales));
  }

  #assignIfRegrouped(): void {
    if (this.#isRegrouped) this.#assignFindings();
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
    const stored = payment === undefined ? undefined : await this.#readStoredSale(payment);
    if (stored) return this.#complete(stored);
    if (known) return known;
    throw new ApiError('notFound', { message: `Sale ${saleId} does not exist` });
  }

  async #readStoredSale(payment: string): Promise<StoredSalePayments<StoredAttempt> | undefined> {
    const sale = await this.#parts.stored.saleOf(payment);
    if (sale) return sale;
    const attempt = await this.#parts.storedNonTerminalSales.byId(payment);
    return attempt && { payments: [attempt] };
  }

  /** Gives the sales that match the filter and are older than the list position `before`, the latest first. */
  async page(filter: SaleFilter, before: string | undefined, limit: number): Promise<SalePage> {
    return this.#pages.page(await this.#upToDate(), filter, before, limit);
  }

  /**
   * Gives the payments whose result the POS has not received, although they moved money more than a minute ago (B241).
   */
  async untold(): Promise<ReturnType<SaleAssembler['untold']>> {
    const sales = await this.#upToDate();
    for (const payment of sales.withoutBeginning()) {
      const stored = await this.#readStoredSale(payment);
      if (stored) this.#complete(stored);
    }
    return sales.untold(this.#parts.runtime.clock.now() - longestTellingMs);
  }

  /**
   * Makes a sale from stored payments, and adds what only the journal has. If the journal did not have all payments,
   * the listeners get the completed sale.
   */
  #complete(sale: StoredSalePayments<StoredAttempt>): Sale {
    const { payments: stored, crowd } = sale;
    const [{ accountId, reference } = { accountId: '', reference: undefined }] = stored;
    if (crowd && reference !== undefined) {
      const divided = this.#sales.learnCrowd(accountId, reference, crowd.payments);
      this.#assignIfRegrouped();
      this.#wholeSaleFindings.judge(this.#sales, divided);
      this.#report(divided);
    }
    const known = this.#sales.ofStored(stored);
    if (!known) return makeSaleFromStored(sale);
    if (!this.#sales.misses(known.saleId, stored)) return known;
    const { saleId } = this.#sales.complete(known.saleId, stored) ?? known;
    this.#assignIfRegrouped();
    this.#report([saleId]);
    return this.#sales.get(saleId) ?? known;
  }
}
