import type { Clock } from '../../shared/clock.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { hashSecret, makeSecret } from '../accounts/secret.ts';
import type { AccountService } from '../accounts/service.ts';
import { type Coming, Due } from '../engine/due.ts';
import type { Duties } from '../engine/duties.ts';
import { readAmount } from '../http/amounts.ts';
import { ApiError } from '../http/errors.ts';
import type { CardDirectory } from '../saved-cards/card-directory.ts';
import type { Owner } from '../store/ownership.ts';
import type { CreditRow } from '../store/rows/credits.ts';
import type { Store } from '../store/store.ts';
import type { BankDetails } from './bank-details.ts';
import type { CreditLanes, CreditStep } from './credit-lanes.ts';
import { creditById, listCredits, readInitiated } from './rows.ts';
import type { CreditBody } from './schemas.ts';
import type { SecurityQuestions } from './security-questions.ts';

interface CreditParts {
  runtime: Runtime;
  store: Store;
  accounts: AccountService;
  directory: CardDirectory;
  lanes: CreditLanes;
  questions: SecurityQuestions;
  duties: Duties;
}

/** Credits: payment links, used once or not at all (B93–B101). */
export class CreditService {
  readonly #parts: CreditParts;
  #expirations: Due<Coming>;

  private constructor(parts: CreditParts, expirations: Due<Coming>) {
    this.#parts = parts;
    this.#expirations = expirations;
  }

  /** Takes up the links of a former process. */
  static async open(parts: CreditParts): Promise<CreditService> {
    const expirations = await Due.open({
      ...parts,
      name: 'links',
      read: async (tx, before) => (await readInitiated(tx, before)).map(expiryOf),
      run: ({ id }) => service.#expireDue(id),
      warning: (id, error) => `credit ${id} could not be expired yet: ${error}`,
    });
    const service: CreditService = new CreditService(parts, expirations);
    return service;
  }

  /**
   * Makes a payment link; its secret is returned only here.
   *
   * @throws ApiError invalidAmount, contactNotFound, bankAccountNotFound, securityQuestionMissing
   */
  async create(caller: Owner, body: CreditBody): Promise<{ credit: CreditRow; secret: string }> {
    const { accounts, questions, directory, lanes } = this.#parts;
    const { clock, random, identifiers, timeouts } = this.#parts.runtime;
    const { id: account_id, currency } = accounts.account(caller.accountId);
    const amount = readAmount(body.amount, currency, 'amount');
    const secret = makeSecret(random, '');
    const now = clock.now();
    const question = await questions.question(account_id);
    const { id: contact_id } = await directory.contact(caller, body.contact_id);
    const { id: from_bank_account_id } = await directory.bankAccount(caller, body.from_bank_account);
    if (question === undefined) throw new ApiError('securityQuestionMissing');
    const credit: CreditRow = {
      id: identifiers.next(),
      account_id,
      environment: caller.environment,
      contact_id,
      from_bank_account_id,
      amount,
      currency,
      statement: body.statement,
      note: body.note ?? null,
      state: 'initiated',
      why: 'its link waits for the customer',
      token_hash: hashSecret(secret),
      wrong_answers: 0,
      locked_until: null,
      refusal: null,
      bank_kind: null,
      bank_masked: null,
      created_at: now,
      expires_at: now + timeouts.creditExpiryMs,
      ended_at: null,
      version: 0,
    };
    await lanes.begin(credit);
    this.#expirations.set(expiryOf(credit));
    return { credit, secret };
  }

  list(filter: Parameters<typeof listCredits>[1]): Promise<CreditRow[]> {
    return this.#parts.store.read((tx) => listCredits(tx, filter));
  }

  /** @throws ApiError notFound */
  get(id: string): Promise<CreditRow> {
    return this.#parts.store.read(async (tx) => existing(await creditById(tx, id)));
  }

  /**
   * Pays a credit out to the customer's bank account; or it fails, where that bank refuses. The link is used up
   * either way.
   *
   * @throws ApiError notFound; conflict where the credit has ended
   */
  accept(id: string, to: BankDetails): Promise<CreditRow> {
    return this.#end(id, (credit) => {
      const bank = { bank_kind: to.kind, bank_masked: to.masked };
      const refusal = credit.refusal ?? (to.refuses ? 'the account is a test account that refuses' : null);
      if (refusal !== null) return { ...bank, state: 'failed', why: `the bank refused: ${refusal}` };
      return { ...bank, state: 'completed', why: 'the customer accepted it' };
    });
  }

  /** Lets a link run out now. @throws ApiError notFound, conflict */
  expire(id: string): Promise<CreditRow> {
    return this.#end(id, () => ({ state: 'expired', why: 'expired by a test' }));
  }

  /** Lets the bank refuse it once the customer has accepted. @throws ApiError notFound, conflict */
  refuseLater(id: string, reason: string): Promise<CreditRow> {
    return this.#parts.lanes.turn(id, (found) => {
      const credit = openOrConflict(existing(found), this.#parts.runtime.clock);
      const set = { refusal: reason };
      const where = { id: credit.id, state: credit.state };
      return { changes: [{ update: 'credits', where, set }], result: { ...credit, ...set } };
    });
  }

  /** From now on no link runs out by itself here. */
  stop(): void {
    this.#expirations.stop();
  }

  async #end(
    id: string,
    changesOf: (credit: CreditRow) => Partial<CreditRow> & Pick<CreditRow, 'state' | 'why'>,
  ): Promise<CreditRow> {
    const now = this.#parts.runtime.clock.now();
    const ended = await this.#parts.lanes.turn(id, (found) => {
      const credit = openOrConflict(existing(found), this.#parts.runtime.clock);
      return ending(credit, { ...changesOf(credit), ended_at: now });
    });
    this.#expirations.clear(ended.id);
    return ended;
  }

  async #expireDue(id: string): Promise<void> {
    await this.#parts.lanes.turn(id, (credit) => {
      if (credit?.state !== 'initiated') return { changes: [], result: credit };
      const ended_at = this.#parts.runtime.clock.now();
      return ending(credit, { state: 'expired', why: 'it was not used in time', ended_at });
    });
  }
}

function expiryOf({
  id,
  created_at,
  expires_at,
}: Pick<CreditRow, 'id' | 'created_at' | 'expires_at'>): Coming {
  return { id, dueAt: expires_at, fullMs: expires_at - created_at };
}

/** A credit ends in the state `set` gives, and its link can no longer be used. */
function ending(credit: CreditRow, set: Partial<CreditRow>): CreditStep<CreditRow> {
  const { id, state } = credit;
  const ended = { ...credit, ...set };
  return {
    changes: [
      { update: 'credits', where: { id, state }, set },
      { delete: 'credit_visits', where: { credit_id: id }, rows: 'any' },
    ],
    reported: ended,
    result: ended,
  };
}

/** Whether a link can still be used. Its expiry time counts, not the time at which the expiry is stored. */
export function isOpen({ state, created_at, expires_at }: CreditRow, clock: Clock): boolean {
  return state === 'initiated' && clock.elapsedSince(created_at) < expires_at - created_at;
}

function openOrConflict(credit: CreditRow, clock: Clock): CreditRow {
  if (isOpen(credit, clock)) return credit;
  throw new ApiError('conflict', { message: `The credit is ${credit.state}` });
}

function existing(credit: CreditRow | undefined): CreditRow {
  if (!credit) throw new ApiError('notFound', { message: 'The credit does not exist' });
  return credit;
}
