import { hashSecret, makeSecret } from '../accounts/secret.ts';
import type { AccountService } from '../accounts/service.ts';
import { convertToMinorAmount } from '../http/amounts.ts';
import { ApiError } from '../http/errors.ts';
import type { CardAndBankAccountDirectory } from '../saved-cards/card-directory.ts';
import type { Owner } from '../store/ownership.ts';
import type { CreditRow } from '../store/rows/credits.ts';
import type { StoreParts } from '../store/store.ts';
import type { BankDetails } from './bank-details.ts';
import type { Input } from './core/step.ts';
import type { CreditInputQueue } from './credit-input-queue.ts';
import { listCredits, readCreditById } from './rows.ts';
import type { CreditBody } from './schemas.ts';
import type { SecurityQuestions } from './security-questions.ts';

interface CreditParts extends StoreParts {
  accounts: AccountService;
  directory: CardAndBankAccountDirectory;
  turns: CreditInputQueue;
  questions: SecurityQuestions;
}

/** The service for credits: payment links that can be used once (B93–B101). */
export class CreditService {
  readonly #parts: CreditParts;

  constructor(parts: CreditParts) {
    this.#parts = parts;
  }

  /**
   * Makes a payment link. Only this call returns the link's secret.
   *
   * @throws ApiError invalidAmount, contactNotFound, bankAccountNotFound, securityQuestionMissing
   */
  async create(caller: Owner, body: CreditBody): Promise<{ credit: CreditRow; secret: string }> {
    const { accounts, questions, directory, turns } = this.#parts;
    const { clock, random, identifiers, timeouts } = this.#parts.runtime;
    const { id: account_id, currency } = accounts.account(caller.accountId);
    const amount = convertToMinorAmount(body.amount, currency, 'amount');
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
      why: 'the link waits for the customer',
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
    await turns.put(credit.id, { is: 'made', credit });
    return { credit, secret };
  }

  list(filter: Parameters<typeof listCredits>[1]): Promise<CreditRow[]> {
    return this.#parts.store.read((tx) => listCredits(tx, filter));
  }

  /** @throws ApiError notFound */
  get(id: string): Promise<CreditRow> {
    return this.#parts.store.read(async (tx) => existing(await readCreditById(tx, id)));
  }

  /**
   * Pays the money to the customer's bank account, or fails the credit if the bank refuses. In both cases the link is
   * used up.
   *
   * @throws ApiError notFound; conflict if the credit has ended
   */
  accept(id: string, to: BankDetails): Promise<CreditRow> {
    return this.#put(id, { is: 'accepted', to });
  }

  /**
   * Makes a link expire now.
   *
   * @throws ApiError notFound, conflict
   */
  expire(id: string): Promise<CreditRow> {
    return this.#put(id, { is: 'expiryAsked' });
  }

  /**
   * Stores that the bank will refuse the money when the customer accepts the credit.
   *
   * @throws ApiError notFound, conflict
   */
  refuseLater(id: string, reason: string): Promise<CreditRow> {
    return this.#put(id, { is: 'refusalSet', reason });
  }

  /** Stops the timers. After this call, no timer of this gateway ends a link that has expired. */
  stop(): void {
    this.#parts.turns.stop();
  }

  async #put(id: string, input: Input): Promise<CreditRow> {
    const { state, refused } = await this.#parts.turns.put(id, input);
    const credit = existing(state.is === 'none' ? undefined : state.credit);
    if (refused) throw new ApiError('conflict', { message: `The credit is ${credit.state}` });
    return credit;
  }
}

function existing(credit: CreditRow | undefined): CreditRow {
  if (!credit) throw new ApiError('notFound', { message: 'The credit does not exist' });
  return credit;
}
