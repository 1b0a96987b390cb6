import { isoTime } from '../clock.ts';
import type { JournalEntry } from '../journal.ts';
import { RecentlyUsedCache } from '../recently-used.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import { CallRecorder } from './call-recorder.ts';
import { CrowdedReferences } from './crowded-references.ts';
import { findSaleBeforeCrash, linkPaymentsToLostCalls } from './lost-calls.ts';
import type { Sale, SaleAttempt, SaleFinding } from './sale.ts';
import { SaleIndex, saleIndexKeys } from './sale-index.ts';
import { type AttemptRecord, givesBack, type SaleRecord } from './sale-record.ts';
import { makeSaleView, type PoiIdFinder } from './sale-view.ts';
import { addStoredAttempts, isAttemptMissingInJournal, type StoredAttempt } from './stored-attempts.ts';

/** At most this many beliefs are kept for each sale. */
const mostBeliefs = 100;

interface SalesOptions {
  /** At most this many sales are kept, the latest ones. The default is 10 000. */
  most?: number;
  /**
   * False if this journal lacks the entries of some gateways. In that case it is not known which outcomes the point of
   * sale received.
   */
  heardAll?: boolean;
  /** Finds terminals by their identifiers; if absent, no terminal is known. */
  terminalOf?: PoiIdFinder;
  /**
   * Called with the saleId of a sale that was divided, or that became part of another sale. The findings that other
   * code made about the requests of that sale have to be set again.
   */
  regrouped?: (saleId: string) => void;
}

/**
 * Assembles sales from a journal, entry by entry. A sale describes what a point of sale tried to sell, the requests and
 * payments for that, and their outcomes.
 * @example const sales = new SaleAssembler(); for (const entry of journal.since()) sales.add(entry);
 * console.log(sales.list().map(({ callsText, outcomeText }) => `${callsText}: ${outcomeText}`));
 */
export class SaleAssembler {
  readonly #heardAll: boolean;
  readonly #terminalOf: PoiIdFinder | undefined;
  readonly #index: SaleIndex;
  readonly #crowds: CrowdedReferences;
  readonly #attempts: AttemptRecorder;
  readonly #calls: CallRecorder;
  /** For each event, the resource that the event is about. */
  readonly #events = new RecentlyUsedCache<string>(1_000);
  readonly #views = new WeakMap<SaleRecord, Sale>();
  #changed = new Set<string>();

  constructor({ most = 10_000, heardAll = true, terminalOf, regrouped = () => {} }: SalesOptions = {}) {
    this.#heardAll = heardAll;
    this.#terminalOf = terminalOf;
    this.#index = new SaleIndex(most, { removed: (saleId) => void this.#changed.delete(saleId), regrouped });
    const crowds = new CrowdedReferences(this.#index);
    this.#crowds = crowds;
    const changed = (record: SaleRecord) => this.#noteChange(record);
    this.#attempts = new AttemptRecorder(this.#index, crowds, changed);
    this.#calls = new CallRecorder({ index: this.#index, crowds, attempts: this.#attempts, changed });
  }

  /** Processes the journal's next entry. Returns the ids of the sales that the entry changed or created. */
  add(entry: JournalEntry): readonly string[] {
    this.#changed = new Set();
    this.#take(entry);
    return [...this.#changed];
  }

  /** Returns a sale by its saleId. */
  get(saleId: string): Sale | undefined {
    return this.#view(this.#index.byId(saleId));
  }

  /** Returns the sale of a payment, debit, refund or credit. */
  ofPayment(payment: string): Sale | undefined {
    return this.#view(this.#index.find(saleIndexKeys.payment(payment)));
  }

  /** Returns the sale of stored payments that belong together. */
  ofStored(stored: readonly StoredAttempt[]): Sale | undefined {
    const before = findSaleBeforeCrash(this.#index, stored);
    if (before) return this.#view(before);
    for (const { payment } of stored) {
      const sale = this.ofPayment(payment);
      if (sale) return sale;
    }
    return undefined;
  }

  /**
   * Whether a store may know more about the sale of a payment than the journal does. That is so if the payment is the
   * first payment in the journal with the sale's reference, or if it is a reversal of a payment that the journal lacks.
   */
  begins(payment: string): boolean {
    const record = this.#index.find(saleIndexKeys.payment(payment));
    if (!record) return false;
    const isKnown = record.attempts.some(({ kind }) => kind !== 'reversal');
    return isKnown ? record.reference !== undefined && record.attempts.length === 1 : true;
  }

  /** Notes that a store has this many payments with a reference (B237). Returns the ids of the sales that changed. */
  learnCrowd(accountId: string, reference: string, payments: number): readonly string[] {
    this.#changed = new Set();
    for (const record of this.#crowds.learn(accountId, reference, payments)) this.#noteChange(record);
    return [...this.#changed];
  }

  /** Returns the payments that succeeded and that began before the journal begins. */
  withoutBeginning(): string[] {
    const found: string[] = [];
    for (const { attempts } of this.#index.all)
      for (const { payment, amount, outcome } of attempts)
        if (amount === undefined && outcome === 'success') found.push(payment);
    return found;
  }

  /** Finds the sale of a request by the payment, key or reference in the request, or by the request's id. */
  ofRequest(request: {
    readonly requestId: string;
    readonly accountId: string | undefined;
    readonly payment: string | undefined;
    readonly key: string | undefined;
    readonly reference: string | undefined;
  }): Sale | undefined {
    const { requestId, accountId = '', payment, key, reference } = request;
    const found = [
      payment === undefined ? undefined : this.#index.find(saleIndexKeys.payment(payment)),
      key === undefined ? undefined : this.#index.find(saleIndexKeys.key(accountId, key)),
      reference === undefined ? undefined : this.#index.find(saleIndexKeys.reference(accountId, reference)),
      this.#index.byId(`request-${requestId}`),
    ].filter((record) => record !== undefined);
    const isOf = ({ calls }: SaleRecord) => calls.some((call) => call.requestId === requestId);
    return this.#view(found.find(isOf) ?? found[0]);
  }

  /** Returns all sales, latest first. */
  list(): Sale[] {
    return this.#select(() => true);
  }

  /** Returns the sales that no store knows, because their requests were refused or lost. */
  withoutPayments(): Sale[] {
    return this.#select(({ attempts }) => attempts.length === 0);
  }

  /**
   * Returns the attempts that ended before the given time and moved money, if the point of sale did not receive the
   * outcome. Such attempts are payments, charges, reversals and card refunds.
   */
  untold(beforeMs: number): { sale: Sale; attempt: SaleAttempt }[] {
    const isUntold = ({
      told,
      known,
      moved,
      refunded,
      concludedAt = Number.POSITIVE_INFINITY,
      ofOperator,
    }: AttemptRecord) => known && !told && !ofOperator && moved !== refunded && concludedAt < beforeMs;
    const untold = this.#select(
      ({ own, kind, attempts }) =>
        own === undefined && (kind === 'payment' || kind === 'charge') && attempts.some(isUntold),
    );
    return untold.flatMap((sale) =>
      sale.attempts
        .filter(
          ({ told, charged, concludedAt }) =>
            told === 'untold' && (charged ?? 0) !== 0 && Date.parse(concludedAt ?? '') < beforeMs,
        )
        .map((attempt) => ({ sale, attempt })),
    );
  }

  #select(wanted: (record: SaleRecord) => boolean): Sale[] {
    const found: Sale[] = [];
    for (const record of this.#index.all) {
      const sale = wanted(record) ? this.#view(record) : undefined;
      if (sale) found.push(sale);
    }
    return found.sort((one, other) =>
      one.startedAt === other.startedAt ? 0 : one.startedAt < other.startedAt ? 1 : -1,
    );
  }

  /**
   * Whether a store knows something about a sale that the journal does not have: a payment of the sale, or facts about
   * one of its payments.
   */
  misses(saleId: string, stored: readonly StoredAttempt[]): boolean {
    const record = this.#index.byId(saleId);
    return record !== undefined && stored.some((one) => isAttemptMissingInJournal(record, one));
  }

  /**
   * Adds stored payments to a sale: those that began before the journal begins, and those about which the journal lacks
   * entries.
   */
  complete(saleId: string, stored: readonly StoredAttempt[]): Sale | undefined {
    const record = this.#index.byId(saleId);
    if (!record) return undefined;
    for (const { payment } of stored) {
      const other = this.#index.find(saleIndexKeys.payment(payment));
      if (other && other !== record) this.#index.absorb(record, other);
    }
    addStoredAttempts(record, stored);
    linkPaymentsToLostCalls(record, stored);
    for (const { payment } of stored) this.#index.name(record, saleIndexKeys.payment(payment));
    this.#views.delete(record);
    return this.#view(record);
  }

  /** Returns a sale if it has a belief or the finding about a shared reference. Most sales have neither. */
  ifSingular(saleId: string): Sale | undefined {
    const record = this.#index.byId(saleId);
    return record && (record.crowded || record.beliefs.length > 0) ? this.#view(record) : undefined;
  }

  /** Replaces the findings that other code made about a sale. */
  setFindings(saleId: string, findings: readonly SaleFinding[]): void {
    const record = this.#index.byId(saleId);
    if (!record) return;
    record.foundByOthers = findings;
    this.#views.delete(record);
  }

  #take(entry: JournalEntry): void {
    switch (entry.kind) {
      case 'http.received':
        return this.#calls.received(entry);
      case 'http.answered':
        return this.#calls.answered(entry);
      case 'http.sent':
        return this.#calls.sent(entry);
      case 'http.hungUp':
      case 'fault.injected':
        return this.#calls.broken(entry);
      case 'payment.accepted':
        return this.#attempts.accepted(entry);
      case 'payment.concluded':
        return this.#attempts.concluded(entry);
      case 'ledger.authorized':
      case 'ledger.captured':
      case 'ledger.reversed':
        return this.#attempts.moved(entry);
      case 'ledger.refunded':
      case 'ledger.returned':
        return this.#attempts.refunded(entry);
      case 'debit.changed':
        return this.#attempts.debitChanged(entry);
      case 'refund.changed':
        return this.#attempts.refundChanged(entry);
      case 'credit.changed':
        return this.#attempts.creditChanged(entry);
      case 'event.published':
        return this.#events.set(entry.data.event, entry.data.resource);
      case 'webhook.attempted':
        return this.#acknowledged(entry);
      case 'belief.stated':
        return this.#believed(entry);
      case 'gateway.crashed':
        return this.#crashed(entry);
      case 'journal.lost':
        return this.#lost(entry);
    }
  }

  #acknowledged({ data }: JournalEntry<'webhook.attempted'>): void {
    if (data.error !== undefined || data.status === undefined || data.status < 200 || data.status > 299)
      return;
    const resource = this.#events.get(data.event);
    if (resource !== undefined) this.#attempts.tell([resource]);
  }

  #believed({ at, data }: JournalEntry<'belief.stated'>): void {
    const record = this.#index.byId(data.saleId) ?? this.#attempts.findOrCreateSaleOf(data.payment, at);
    if (!record) return;
    const { believes, payment = null, amount = null, times = null } = data;
    record.beliefs.push({ at: isoTime(at), believes, payment, amount, times });
    record.givenBackThen = new Set([
      ...record.attempts.flatMap((each) => (givesBack(each.kind) ? [each.payment] : [])),
      ...record.refunds.keys(),
    ]);
    if (record.beliefs.length > mostBeliefs) record.beliefs.splice(0, 1);
    this.#noteChange(record);
  }

  /**
   * Notes a crash. The journal lacks everything that the gateway had done but not journaled yet, and open requests got
   * no answer.
   */
  #crashed(entry: JournalEntry<'gateway.crashed'>): void {
    this.#calls.gatewayGone(entry.gateway, entry.at);
    for (const record of [...this.#index.all]) {
      const open = record.attempts.filter(({ outcome }) => outcome === 'open');
      for (const attempt of open) attempt.gap = true;
      if (open.length > 0) this.#noteChange(record);
    }
  }

  /**
   * Notes that entries are missing. The missing entries may have said that the point of sale received outcomes, so it
   * is unknown which outcomes it received.
   */
  #lost(entry: JournalEntry<'journal.lost'>): void {
    this.#calls.gatewayGone(entry.gateway, entry.at);
    for (const record of [...this.#index.all]) {
      for (const attempt of record.attempts) attempt.known = false;
      this.#noteChange(record);
    }
  }

  #noteChange(record: SaleRecord): void {
    this.#index.touch(record);
    this.#views.delete(record);
    if (!this.#heardAll) for (const attempt of record.attempts) attempt.known = false;
    if (record.saleId !== undefined) this.#changed.add(record.saleId);
  }

  #view(record: SaleRecord | undefined): Sale | undefined {
    if (record?.saleId === undefined) return undefined;
    const known = this.#views.get(record);
    if (known) return known;
    const made = makeSaleView(record, this.#terminalOf);
    this.#views.set(record, made);
    return made;
  }
}
