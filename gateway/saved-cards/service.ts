import type { Note } from '../../shared/journal.ts';
import { largestAmount, percentOf } from '../../shared/money.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Account } from '../accounts/schemas.ts';
import type { AccountService } from '../accounts/service.ts';
import { type DebitLedger, debitEntry } from '../acquirer/debit-ledger.ts';
import type { LedgerSubject } from '../acquirer/entries.ts';
import { type Coming, Due } from '../engine/due.ts';
import type { Duties } from '../engine/duties.ts';
import type { NewEvent } from '../events/service.ts';
import { invalidAmount, readAmount } from '../http/amounts.ts';
import { ApiError } from '../http/errors.ts';
import type { Owner } from '../store/ownership.ts';
import type { LedgerRow } from '../store/rows/acquirer.ts';
import type { CreditCardRow, DebitRow } from '../store/rows/saved-cards.ts';
import type { Store } from '../store/store.ts';
import { type CardDirectory, isOwned } from './card-directory.ts';
import { debitEvent } from './debit-event.ts';
import type { DebitFacts } from './debit-facts.ts';
import type { DebitLanes, DebitStep } from './debit-lanes.ts';
import { authorizationAnswer, captureAnswer } from './issuer.ts';
import { readAuthorizations } from './rows.ts';

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

interface DebitParts {
  runtime: Runtime;
  store: Store;
  accounts: AccountService;
  ledger: DebitLedger;
  directory: CardDirectory;
  lanes: DebitLanes;
  duties: Duties;
}

/** Debits of saved cards: charged, preauthorized, captured, voided (B70–B73, B75). */
export class DebitService {
  readonly #parts: DebitParts;
  #expirations: Due<Coming>;

  private constructor(parts: DebitParts, expirations: Due<Coming>) {
    this.#parts = parts;
    this.#expirations = expirations;
  }

  /** Takes up the authorizations of a former process: those that ran out meanwhile are released at once. */
  static async open(parts: DebitParts): Promise<DebitService> {
    const expirations = await Due.open({
      ...parts,
      name: 'authorizations',
      read: async (tx, before) => (await readAuthorizations(tx, before)).map(expiryOf),
      run: ({ id }) => service.#expireDue(id),
      warning: (id, error) => `debit ${id} could not be expired yet: ${error}`,
    });
    const service: DebitService = new DebitService(parts, expirations);
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
    const debit = await this.#parts.lanes.turn(debitId, async (facts) => {
      if (!facts || !isOwned(facts.debit, caller)) throw new ApiError('debitNotFound');
      const why = this.#notCapturable(facts.debit);
      if (why !== undefined) throw new ApiError('debitNotCapturable', { message: why });
      return this.#capture(facts, await this.#parts.directory.cardOf(facts.debit));
    });
    return this.#finish(debit);
  }

  /**
   * Releases an authorization before its time.
   *
   * @throws ApiError debitNotFound, conflict where the debit is not preauthorized
   */
  async expire(debitId: string): Promise<DebitRow> {
    const debit = await this.#parts.lanes.turn(debitId, (facts) => {
      if (!facts) throw new ApiError('debitNotFound');
      if (facts.debit.state !== 'preauthorized')
        throw new ApiError('conflict', { message: `The debit is ${facts.debit.state}` });
      return this.#void(facts, 'a test let the authorization expire');
    });
    return this.#finish(debit);
  }

  /** From now on nothing expires here; what is open is the next process's. */
  stop(): void {
    this.#expirations.stop();
  }

  async #create(flow: DebitRow['flow'], order: DebitOrder): Promise<DebitRow> {
    const { runtime, accounts, ledger, directory, lanes } = this.#parts;
    const { currency, surchargePercent } = accounts.account(order.caller.accountId);
    const amount = readAmount(order.amount, currency, 'amount');
    const surcharge = percentOf(amount, surchargePercent);
    if (amount + surcharge > largestAmount(currency))
      throw invalidAmount('amount', 'totalTooLarge', currency);
    const account = this.#enabledAccount(order.caller);
    const card = await directory.card(order.caller, order.contactId, order.creditCardId);
    await directory.bankAccount(order.caller, order.toBankAccountId);
    const answer = authorizationAnswer(card, runtime.clock.now());
    const debit = this.#debit(flow, order, amount, account);
    debit.why = answer.why;
    const entries = [ledger.authorize([], subjectOf(debit), debit.amount + debit.surcharge, answer)];
    if (answer.refusal) Object.assign(debit, this.#failed(answer.refusal.declineCode));
    else if (flow === 'charge') {
      // The test cards that fail at capture do so when captured by themselves (B80).
      const captured = { rule: 'charge', why: 'a charge is captured with its authorization' };
      entries.push(...ledger.capture(entries, subjectOf(debit), captured));
      debit.state = 'paid';
      debit.captured_at = debit.created_at;
    } else debit.expires_at = debit.created_at + runtime.timeouts.authorizationMs;
    const facts = { debit, entries: entries.map(debitEntry), refunds: [], limit: undefined };
    const changes = [{ insert: 'debits', row: debit }] as const;
    return this.#finish(await lanes.begin({ facts, changes, entries, ...reportOf(debit), result: debit }));
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
      version: 0,
    };
  }

  /** An authorization is over at its time, also where the timer that releases it is late. */
  #notCapturable(debit: DebitRow): string | undefined {
    if (debit.state !== 'preauthorized') return `The debit is ${debit.state}, so it cannot be captured`;
    const age = this.#parts.runtime.clock.elapsedSince(debit.created_at);
    if (age >= (debit.expires_at ?? 0) - debit.created_at) return 'The authorization has expired';
    return undefined;
  }

  #capture(facts: DebitFacts, card: CreditCardRow): DebitStep<DebitRow> {
    const answer = captureAnswer(card);
    const entries = this.#parts.ledger.capture(facts.entries, subjectOf(facts.debit), answer);
    if (answer.refusal)
      return stepOf(facts, { why: answer.why, ...this.#failed(answer.refusal.declineCode) }, entries);
    const captured_at = this.#parts.runtime.clock.now();
    return stepOf(facts, { state: 'paid', why: 'it was captured', captured_at }, entries);
  }

  #void(facts: DebitFacts, why: string): DebitStep<DebitRow> {
    const entries = [this.#parts.ledger.release(facts.entries, subjectOf(facts.debit), why)];
    const ended_at = this.#parts.runtime.clock.now();
    return stepOf(facts, { state: 'voided', why, ended_at }, entries);
  }

  #failed(declineCode: string) {
    return {
      state: 'failed',
      decline_code: declineCode,
      ended_at: this.#parts.runtime.clock.now(),
    } as const;
  }

  /** What follows once a change is on disk. @throws ApiError cardDeclined */
  #finish(debit: DebitRow): DebitRow {
    const { id, state, decline_code } = debit;
    if (state === 'preauthorized') this.#expirations.set(expiryOf(debit));
    else this.#expirations.clear(id);
    if (decline_code === null) return debit;
    const message = `The card was declined: ${decline_code}`;
    throw new ApiError('cardDeclined', { message, fields: { declineCode: decline_code, debit_id: id } });
  }

  async #expireDue(id: string): Promise<void> {
    const debit = await this.#parts.lanes.turn(id, (facts): DebitStep<DebitRow | undefined> => {
      if (!facts) throw new Error(`debit ${id} is gone`);
      if (facts.debit.state === 'preauthorized')
        return this.#void(facts, 'the authorization was not captured in time');
      return { facts, changes: [], entries: [], result: undefined };
    });
    if (debit) this.#finish(debit);
  }

  /** @throws ApiError cardOnFileNotEnabled (B9, B10) */
  #enabledAccount({ accountId }: Owner): Account {
    const account = this.#parts.accounts.account(accountId);
    if (!account.cardOnFile) throw new ApiError('cardOnFileNotEnabled');
    return account;
  }
}

function expiryOf({
  id,
  created_at,
  expires_at,
}: Pick<DebitRow, 'id' | 'created_at' | 'expires_at'>): Coming {
  const dueAt = expires_at ?? 0;
  return { id, dueAt, fullMs: dueAt - created_at };
}

function subjectOf({ id, account_id: accountId, environment, currency }: DebitRow): LedgerSubject {
  return { id, accountId, environment, currency };
}

/** A debit moves on from the state that was decided on. */
function stepOf(
  facts: DebitFacts,
  set: Partial<DebitRow>,
  entries: readonly LedgerRow[],
): DebitStep<DebitRow> {
  const { id, state } = facts.debit;
  const debit = { ...facts.debit, ...set };
  return {
    facts: { ...facts, debit, entries: [...facts.entries, ...entries.map(debitEntry)] },
    changes: [{ update: 'debits', where: { id, state }, set }],
    entries,
    ...reportOf(debit),
    result: debit,
  };
}

function reportOf(debit: DebitRow): { note: Note; event: NewEvent } {
  const { id, state, currency, why } = debit;
  const amount = debit.amount + debit.surcharge;
  const data = { state, amount, currency, why };
  return { note: { kind: 'debit.changed', data, about: { payment: id } }, event: debitEvent(debit) };
}
