import { Deadlines, leftUntil } from '../../shared/deadlines.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { AccountService } from '../accounts/service.ts';
import type { DebitLedger } from '../acquirer/debit-ledger.ts';
import type { EventStore } from '../events/service.ts';
import { readAmount } from '../http/amounts.ts';
import { ApiError } from '../http/errors.ts';
import type { Owner } from '../saved-cards/find-owned.ts';
import { findDebit } from '../saved-cards/rows.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { RefundRow } from '../store/rows/refunds.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { Unit } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { refundEvent } from './refund-event.ts';
import { refuseRefund } from './refundability.ts';
import { refundableDebit } from './refundable-debit.ts';
import { anyDebit, behaviourFor, type DebitRefunds, readRefunds, refundById } from './rows.ts';
import type { RefundBody } from './schemas.ts';

/** A refund so like an earlier one, so soon after it, was probably meant to be the same. */
const repeatWithinMs = 3_600_000;

interface Changed {
  refund: RefundRow;
  entries: LedgerRow[];
  /** An earlier refund that this one repeats. */
  repeats?: RefundRow;
}

interface RefundParts {
  runtime: Runtime;
  store: Store;
  accounts: AccountService;
  ledger: DebitLedger;
  events: EventStore;
}

/** Refunds of debits of saved cards (B82, B83, B85). */
export class RefundService {
  readonly #parts: RefundParts;
  #due: Deadlines;
  /** The stored moment that each deadline is for. */
  #dueAt = new Map<string, number>();

  private constructor(parts: RefundParts) {
    this.#parts = parts;
    this.#due = new Deadlines(parts.runtime.clock, {
      run: (id) => this.#goOn(id),
      failed: (id, error, failures) =>
        failures === 1 &&
        parts.runtime.journal.add('warning', {
          message: `refund ${id} could not be continued yet: ${error}`,
        }),
    });
  }

  /** Takes up the refunds of a former process. */
  static async open(parts: RefundParts): Promise<RefundService> {
    const service = new RefundService(parts);
    const due = await parts.store.read((tx) =>
      tx
        .selectFrom('refunds')
        .select(['id', 'status', 'due_at'])
        .where('due_at', 'is not', null)
        .orderBy('id')
        .execute(),
    );
    for (const refund of due) service.#goOnLater(refund);
    return service;
  }

  /**
   * What of a debit was refunded and can be (B82).
   *
   * @throws ApiError debitNotFound, debitNotPaidByCreditCard
   */
  summary(caller: Owner, debitId: string): Promise<DebitRefunds> {
    return this.#parts.store.read(async (tx) => readRefunds(tx, await refundableDebit(tx, caller, debitId)));
  }

  /** The same for the operator. @throws ApiError debitNotFound */
  ofDebit(debitId: string): Promise<DebitRefunds> {
    return this.#parts.store.read(async (tx) => readRefunds(tx, await anyDebit(tx, debitId)));
  }

  /**
   * Refunds a part or all of a debit. There is no idempotency: every call makes a refund of its own (B84).
   *
   * @throws ApiError invalidAmount, debitNotFound, debitNotPaidByCreditCard, debitNotRefundable,
   *   refundExceedsRefundableAmount
   */
  async create(caller: Owner, debitId: string, body: RefundBody): Promise<RefundRow> {
    const account = this.#parts.accounts.account(caller.accountId);
    const changed = await this.#parts.store.write(async (unit) => {
      // 400 comes before 404 (B116), but only the debit knows its currency for certain.
      const currency = (await findDebit(unit, caller, debitId))?.currency ?? account.currency;
      const amount = readAmount(body.amount, currency, 'amount');
      const debit = await refundableDebit(unit, caller, debitId);
      const { state, refunds } = await readRefunds(unit, debit);
      refuseRefund(debit, amount, state);
      const refund = await this.#insert(unit, debit, amount, body);
      return { refund, entries: [], repeats: refunds.findLast((former) => repeats(refund, former)) };
    });
    return this.#finish(changed);
  }

  /**
   * Sends a refund to the customer's bank now.
   *
   * @throws ApiError notFound; conflict where it is not processing
   */
  submit(refundId: string): Promise<RefundRow> {
    return this.#act(refundId, (unit, refund) => {
      if (refund.status !== 'processing') throw finished(refund);
      return this.#submit(unit, refund, 'a test submitted it');
    });
  }

  /**
   * Lets a refund fail: while it is processed, or after its submission as a bank's rejection.
   *
   * @throws ApiError notFound; conflict where it has failed before (B85: failed is final)
   */
  fail(refundId: string, why: string): Promise<RefundRow> {
    return this.#act(refundId, (unit, refund) => {
      if (refund.status === 'failed') throw finished(refund);
      return this.#fail(unit, refund, why);
    });
  }

  /** From now on no refund goes on by itself here; what is open is the next process's. */
  stop(): void {
    this.#due.stop();
  }

  async #insert(unit: Unit, debit: DebitRow, amount: number, body: RefundBody): Promise<RefundRow> {
    const { clock, identifiers, timeouts } = this.#parts.runtime;
    const now = clock.now();
    const failsAtOnce = (await behaviourFor(unit, debit)) === 'failsAtCreation';
    const refund: RefundRow = {
      id: identifiers.next(),
      account_id: debit.account_id,
      environment: debit.environment,
      debit_id: debit.id,
      amount,
      currency: debit.currency,
      reason: body.reason,
      reason_details: body.reason_details ?? null,
      status: failsAtOnce ? 'failed' : 'processing',
      why: failsAtOnce ? "the debit's test card makes refunds fail when they are created" : 'it was created',
      created_at: now,
      due_at: failsAtOnce ? null : now + timeouts.refundSubmitMs,
      submitted_at: null,
      failed_at: failsAtOnce ? now : null,
    };
    await unit.insertInto('refunds').values(refund).execute();
    await this.#parts.events.publish(unit, refundEvent(refund));
    return refund;
  }

  async #act(
    refundId: string,
    change: (unit: Unit, refund: RefundRow) => Promise<Changed>,
  ): Promise<RefundRow> {
    const changed = await this.#parts.store.write(async (unit) => {
      const refund = await refundById(unit, refundId.toLowerCase());
      if (!refund) throw new ApiError('notFound', { message: 'There is no such refund' });
      return change(unit, refund);
    });
    return this.#finish(changed);
  }

  #goOnLater({ id, status, due_at }: Pick<RefundRow, 'id' | 'status' | 'due_at'>): void {
    const { clock, timeouts } = this.#parts.runtime;
    if (due_at === null) {
      this.#dueAt.delete(id);
      return this.#due.clear(id);
    }
    const fullMs = status === 'processing' ? timeouts.refundSubmitMs : timeouts.refundRejectionMs;
    this.#dueAt.set(id, due_at);
    this.#due.set(id, leftUntil(clock, due_at, fullMs));
  }

  /** What happens to a refund by itself at its moment, where that is still the one that is stored. */
  async #goOn(id: string): Promise<void> {
    const changed = await this.#parts.store.write(async (unit) => {
      const refund = await refundById(unit, id);
      if (!refund || refund.due_at === null || refund.due_at !== this.#dueAt.get(id)) return undefined;
      if (refund.status === 'submitted')
        return this.#fail(unit, refund, "the debit's test card lets the bank reject refunds");
      const debit = await anyDebit(unit, refund.debit_id);
      if ((await behaviourFor(unit, debit)) === 'failsWhileProcessing')
        return this.#fail(unit, refund, "the debit's test card lets refunds fail while they are processed");
      return this.#submit(unit, refund, "it was sent to the customer's bank");
    });
    if (changed) this.#finish(changed);
  }

  async #submit(unit: Unit, refund: RefundRow, why: string): Promise<Changed> {
    const now = this.#parts.runtime.clock.now();
    const debit = await anyDebit(unit, refund.debit_id);
    const rejected = (await behaviourFor(unit, debit)) === 'failsAfterSubmission';
    const entries = [await this.#parts.ledger.refund(unit, subjectOf(refund), refund, why)];
    const due_at = rejected ? now + this.#parts.runtime.timeouts.refundRejectionMs : null;
    return this.#change(unit, { ...refund, status: 'submitted', submitted_at: now, due_at, why }, entries);
  }

  /** Releases the amount (B85); what the issuer moved goes back. */
  async #fail(unit: Unit, refund: RefundRow, why: string): Promise<Changed> {
    const moved = refund.status === 'submitted';
    const entries = moved ? [await this.#parts.ledger.return(unit, subjectOf(refund), refund, why)] : [];
    const failed_at = this.#parts.runtime.clock.now();
    return this.#change(unit, { ...refund, status: 'failed', failed_at, due_at: null, why }, entries);
  }

  async #change(unit: Unit, refund: RefundRow, entries: LedgerRow[]): Promise<Changed> {
    const { status, why, due_at, submitted_at, failed_at } = refund;
    await unit
      .updateTable('refunds')
      .set({ status, why, due_at, submitted_at, failed_at })
      .where('id', '=', refund.id)
      .execute();
    await this.#parts.events.publish(unit, refundEvent(refund));
    return { refund, entries };
  }

  /** What follows once a change is on disk. */
  #finish({ refund, entries, repeats: former }: Changed): RefundRow {
    const { journal } = this.#parts.runtime;
    const { id, debit_id, status, amount, currency, why } = refund;
    const about = { payment: debit_id };
    this.#parts.ledger.journal(entries);
    journal.add('refund.changed', { refund: id, status, amount, currency, why }, about);
    if (former) {
      const message = `refund ${id} repeats refund ${former.id}: this request has no idempotency, so money goes back twice; list a debit's refunds before retrying`;
      journal.add('warning', { message }, about);
    }
    this.#goOnLater(refund);
    return refund;
  }
}

function repeats(refund: RefundRow, former: RefundRow): boolean {
  return (
    former.status !== 'failed' &&
    former.amount === refund.amount &&
    former.reason === refund.reason &&
    former.reason_details === refund.reason_details &&
    refund.created_at - former.created_at < repeatWithinMs
  );
}

function finished({ status }: RefundRow): ApiError {
  return new ApiError('conflict', { message: `The refund is ${status}` });
}

function subjectOf({ debit_id: id, account_id: accountId, environment, currency }: RefundRow) {
  return { id, accountId, environment, currency };
}
