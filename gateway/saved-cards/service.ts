import { Deadlines, leftUntil } from '../../shared/deadlines.ts';
import { largestAmount, percentOf } from '../../shared/money.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Account } from '../accounts/schemas.ts';
import type { AccountService } from '../accounts/service.ts';
import type { DebitLedger } from '../acquirer/debit-ledger.ts';
import type { LedgerSubject } from '../acquirer/ledger.ts';
import type { EventStore } from '../events/service.ts';
import { invalidAmount, readAmount } from '../http/amounts.ts';
import { ApiError } from '../http/errors.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { Unit } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { debitEvent } from './debit-event.ts';
import { findBankAccount, findCreditCard, type Owner } from './find-owned.ts';
import { authorizationAnswer, captureAnswer } from './issuer.ts';
import { cardOfDebit, debitById, findDebit, insertDebit, readAuthorizations, updateDebit } from './rows.ts';

/** A charge or a preauthorization as it comes in, checked by its schema. */
export interface DebitOrder {
  caller: Owner;
  contactId: string;
  creditCardId: string;
  /** Major units. */
  amount: number;
  toBankAccountId: string;
  statement: string;
  note?: string;
}

/** A debit in a transaction that is not yet on disk, and what the issuer did for it. */
interface Changed {
  debit: DebitRow;
  entries: LedgerRow[];
}

interface DebitParts {
  runtime: Runtime;
  store: Store;
  accounts: AccountService;
  ledger: DebitLedger;
  events: EventStore;
}

/** Debits of saved cards: charged, preauthorized, captured, voided (B70–B73, B75). */
export class DebitService {
  readonly #parts: DebitParts;
  #expirations: Deadlines;

  private constructor(parts: DebitParts) {
    this.#parts = parts;
    this.#expirations = new Deadlines(parts.runtime.clock, {
      run: (id) => this.#expireDue(id),
      failed: (id, error, failures) =>
        failures === 1 &&
        parts.runtime.journal.add('warning', { message: `debit ${id} could not be expired yet: ${error}` }),
    });
  }

  /** Takes up the authorizations of a former process: those that ran out meanwhile are released at once. */
  static async open(parts: DebitParts): Promise<DebitService> {
    const service = new DebitService(parts);
    for (const debit of await parts.store.read(readAuthorizations)) service.#expireLater(debit);
    return service;
  }

  /**
   * Charges a saved card at once. Every call makes a debit of its own (B61).
   *
   * @throws ApiError invalidAmount, cardOnFileNotEnabled, contactNotFound, creditCardNotFound, bankAccountNotFound;
   *   cardDeclined when the debit is on disk as failed (B76)
   */
  charge(order: DebitOrder): Promise<DebitRow> {
    return this.#create('charge', order);
  }

  /** Authorizes an amount on a saved card, to be captured later. Throws as {@link charge} does. */
  preauthorize(order: DebitOrder): Promise<DebitRow> {
    return this.#create('preauthorize', order);
  }

  /**
   * Captures the full amount of a preauthorized debit, once.
   *
   * @throws ApiError cardOnFileNotEnabled, debitNotFound, debitNotCapturable; cardDeclined when the debit is on disk
   *   as failed and its hold released
   */
  async capture(caller: Owner, debitId: string): Promise<DebitRow> {
    this.#enabledAccount(caller);
    const changed = await this.#parts.store.write(async (unit) => {
      const debit = await findDebit(unit, caller, debitId);
      if (!debit) throw new ApiError('debitNotFound');
      const why = this.#notCapturable(debit);
      if (why !== undefined) throw new ApiError('debitNotCapturable', { message: why });
      return this.#capture(unit, debit);
    });
    return this.#finish(changed);
  }

  /**
   * Releases an authorization before its time.
   *
   * @throws ApiError debitNotFound, conflict where the debit is not preauthorized
   */
  async expire(debitId: string): Promise<DebitRow> {
    const changed = await this.#parts.store.write(async (unit) => {
      const debit = await debitById(unit, debitId);
      if (!debit) throw new ApiError('debitNotFound');
      if (debit.state !== 'preauthorized')
        throw new ApiError('conflict', { message: `The debit is ${debit.state}` });
      return this.#void(unit, debit, 'a test let the authorization expire');
    });
    return this.#finish(changed);
  }

  /** From now on nothing expires here; what is open is the next process's. */
  stop(): void {
    this.#expirations.stop();
  }

  async #create(flow: DebitRow['flow'], order: DebitOrder): Promise<DebitRow> {
    const { runtime, accounts, ledger, events, store } = this.#parts;
    const { currency, surchargePercent } = accounts.account(order.caller.accountId);
    const amount = readAmount(order.amount, currency, 'amount');
    const surcharge = percentOf(amount, surchargePercent);
    if (amount + surcharge > largestAmount(currency))
      throw invalidAmount('amount', 'totalTooLarge', currency);
    const account = this.#enabledAccount(order.caller);
    const changed = await store.write(async (unit) => {
      const card = await findCreditCard(unit, order.caller, order.contactId, order.creditCardId);
      await findBankAccount(unit, order.caller, order.toBankAccountId);
      const answer = authorizationAnswer(card, runtime.clock.now());
      const debit = this.#debit(flow, order, amount, account);
      debit.why = answer.why;
      const total = debit.amount + debit.surcharge;
      const entries = [await ledger.authorize(unit, subjectOf(debit), total, answer)];
      if (answer.refusal) this.#fail(debit, answer.refusal.declineCode);
      else if (flow === 'charge') {
        // The test cards that fail at capture do so when captured by themselves (B80).
        const captured = { rule: 'charge', why: 'a charge is captured with its authorization' };
        entries.push(...(await ledger.capture(unit, subjectOf(debit), captured)));
        debit.state = 'paid';
        debit.captured_at = debit.created_at;
      } else debit.expires_at = debit.created_at + runtime.timeouts.authorizationMs;
      await insertDebit(unit, debit);
      await events.publish(unit, debitEvent(debit));
      return { debit, entries };
    });
    return this.#finish(changed);
  }

  #debit(flow: DebitRow['flow'], order: DebitOrder, amount: number, account: Account): DebitRow {
    const { clock, identifiers } = this.#parts.runtime;
    return {
      id: identifiers.next(),
      account_id: order.caller.accountId,
      environment: order.caller.environment,
      contact_id: order.contactId,
      credit_card_id: order.creditCardId,
      to_bank_account_id: order.toBankAccountId,
      flow,
      amount,
      surcharge: percentOf(amount, account.surchargePercent),
      currency: account.currency,
      statement: order.statement,
      note: order.note ?? null,
      state: 'preauthorized',
      decline_code: null,
      why: '',
      created_at: clock.now(),
      expires_at: null,
      captured_at: null,
      ended_at: null,
    };
  }

  /** An authorization is over at its time, also where the timer that releases it is late. */
  #notCapturable(debit: DebitRow): string | undefined {
    if (debit.state !== 'preauthorized') return `The debit is ${debit.state}, so it cannot be captured`;
    const age = this.#parts.runtime.clock.elapsedSince(debit.created_at);
    if (age >= (debit.expires_at ?? 0) - debit.created_at) return 'The authorization has expired';
    return undefined;
  }

  async #capture(unit: Unit, debit: DebitRow): Promise<Changed> {
    const answer = captureAnswer(await cardOfDebit(unit, debit));
    const entries = await this.#parts.ledger.capture(unit, subjectOf(debit), answer);
    debit.why = answer.refusal ? answer.why : 'it was captured';
    if (answer.refusal) this.#fail(debit, answer.refusal.declineCode);
    else {
      debit.state = 'paid';
      debit.captured_at = this.#parts.runtime.clock.now();
    }
    return this.#change(unit, debit, entries);
  }

  async #void(unit: Unit, debit: DebitRow, why: string): Promise<Changed> {
    const entries = [await this.#parts.ledger.release(unit, subjectOf(debit), why)];
    debit.state = 'voided';
    debit.why = why;
    debit.ended_at = this.#parts.runtime.clock.now();
    return this.#change(unit, debit, entries);
  }

  async #change(unit: Unit, debit: DebitRow, entries: LedgerRow[]): Promise<Changed> {
    const { state, decline_code, why, captured_at, ended_at } = debit;
    await updateDebit(unit, debit.id, { state, decline_code, why, captured_at, ended_at });
    await this.#parts.events.publish(unit, debitEvent(debit));
    return { debit, entries };
  }

  #fail(debit: DebitRow, declineCode: string): void {
    debit.state = 'failed';
    debit.decline_code = declineCode;
    debit.ended_at = this.#parts.runtime.clock.now();
  }

  /** What follows once a change is on disk. @throws ApiError cardDeclined */
  #finish({ debit, entries }: Changed): DebitRow {
    this.#parts.ledger.journal(entries);
    const { id, state, currency, why, decline_code } = debit;
    const amount = debit.amount + debit.surcharge;
    this.#parts.runtime.journal.add('debit.changed', { state, amount, currency, why }, { payment: id });
    if (state === 'preauthorized') this.#expireLater(debit);
    else this.#expirations.clear(id);
    if (decline_code === null) return debit;
    const message = `The card was declined: ${decline_code}`;
    throw new ApiError('cardDeclined', { message, fields: { declineCode: decline_code, debit_id: id } });
  }

  #expireLater({ id, created_at, expires_at }: Pick<DebitRow, 'id' | 'created_at' | 'expires_at'>): void {
    const at = expires_at ?? 0;
    this.#expirations.set(id, leftUntil(this.#parts.runtime.clock, at, at - created_at));
  }

  async #expireDue(id: string): Promise<void> {
    const changed = await this.#parts.store.write(async (unit) => {
      const debit = await debitById(unit, id);
      if (debit?.state !== 'preauthorized') return undefined;
      return this.#void(unit, debit, 'nobody captured the authorization in time');
    });
    if (changed) this.#finish(changed);
  }

  /** @throws ApiError cardOnFileNotEnabled (B9, B10) */
  #enabledAccount({ accountId }: Owner): Account {
    const account = this.#parts.accounts.account(accountId);
    if (!account.cardOnFile) throw new ApiError('cardOnFileNotEnabled');
    return account;
  }
}

function subjectOf({ id, account_id: accountId, environment, currency }: DebitRow): LedgerSubject {
  return { id, accountId, environment, currency };
}
