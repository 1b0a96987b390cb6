import { computePercentOfMinor, largestAmountMinor } from '../../shared/money.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Account } from '../accounts/schemas.ts';
import type { AccountService } from '../accounts/service.ts';
import { convertToMinorAmount, makeInvalidAmountError } from '../http/amounts.ts';
import { ApiError } from '../http/errors.ts';
import type { Owner } from '../store/ownership.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { CardAndBankAccountDirectory } from './card-directory.ts';
import type { DebitInputQueue } from './debit-input-queue.ts';

/** A request for a charge or a preauthorization. The request was already checked against its schema. */
export interface DebitOrder {
  caller: Owner;
  contactId: string;
  creditCardId: string;
  /** The amount in major units, for example 12.50. */
  amount: number;
  toBankAccountId: string;
  statement: string;
  note?: string;
}

interface DebitParts {
  runtime: Runtime;
  accounts: AccountService;
  directory: CardAndBankAccountDirectory;
  turns: DebitInputQueue;
}

/** The service for debits of saved cards. It charges, preauthorizes, captures and voids (B70–B73, B75). */
export class DebitService {
  readonly #parts: DebitParts;

  constructor(parts: DebitParts) {
    this.#parts = parts;
  }

  /**
   * Charges a saved card at once. Every call makes another debit (B61).
   *
   * @throws ApiError invalidAmount, cardOnFileNotEnabled, contactNotFound, creditCardNotFound, bankAccountNotFound
   * @throws ApiError cardDeclined if the issuer refuses; in this case the debit is stored as failed (B76)
   */
  charge(order: DebitOrder): Promise<DebitRow> {
    return this.#order('charge', order);
  }

  /**
   * Authorizes an amount on a saved card, so that it can be captured later. This method throws the same errors as
   * {@link charge}.
   */
  preauthorize(order: DebitOrder): Promise<DebitRow> {
    return this.#order('preauthorize', order);
  }

  /**
   * Captures the full amount of a preauthorized debit, once.
   *
   * @throws ApiError cardOnFileNotEnabled, debitNotFound, debitNotCapturable
   * @throws ApiError cardDeclined if the issuer refuses; in this case the debit is stored as failed and the amount is
   * released
   */
  async capture(caller: Owner, debitId: string): Promise<DebitRow> {
    this.#enabledAccount(caller);
    const input = { of: 'debit', is: 'captureAsked', caller } as const;
    const { stored, refused } = await this.#parts.turns.put(debitId, input);
    const debit = existing(stored?.debit);
    if (refused?.is === 'late')
      throw new ApiError('debitNotCapturable', { message: 'The authorization has expired' });
    if (refused)
      throw new ApiError('debitNotCapturable', {
        message: `The debit is ${debit.state}, so it cannot be captured`,
      });
    return approved(debit);
  }

  /**
   * Releases an authorization now, before it expires.
   *
   * @throws ApiError debitNotFound, conflict if the debit is not preauthorized
   */
  async expire(debitId: string): Promise<DebitRow> {
    const { stored, refused } = await this.#parts.turns.put(debitId, { of: 'debit', is: 'expiryAsked' });
    const debit = existing(stored?.debit);
    if (refused)
      throw new ApiError('conflict', {
        message: `The debit is ${debit.state}, so it has no authorization to release`,
      });
    return debit;
  }

  async #order(flow: DebitRow['flow'], order: DebitOrder): Promise<DebitRow> {
    const { accounts, directory, turns } = this.#parts;
    const { currency, surchargePercent } = accounts.account(order.caller.accountId);
    const amount = convertToMinorAmount(order.amount, currency, 'amount');
    const surcharge = computePercentOfMinor(amount, surchargePercent);
    if (amount + surcharge > largestAmountMinor(currency))
      throw makeInvalidAmountError('amount', 'totalTooLarge', currency);
    const account = this.#enabledAccount(order.caller);
    const card = await directory.card(order.caller, order.contactId, order.creditCardId);
    await directory.bankAccount(order.caller, order.toBankAccountId);
    const debit = this.#debit(flow, order, amount, account);
    const is = flow === 'charge' ? 'chargeOrdered' : 'holdOrdered';
    const { stored } = await turns.put(debit.id, { of: 'debit', is, debit, card });
    return approved(existing(stored?.debit));
  }

  /** Makes the row of a new debit, as if the issuer had approved the debit. */
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
      surcharge: computePercentOfMinor(amount, account.surchargePercent),
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

  /** @throws ApiError cardOnFileNotEnabled (B9, B10) */
  #enabledAccount({ accountId }: Owner): Account {
    const account = this.#parts.accounts.account(accountId);
    if (!account.cardOnFile) throw new ApiError('cardOnFileNotEnabled');
    return account;
  }
}

function existing(debit: DebitRow | undefined): DebitRow {
  if (!debit) throw new ApiError('debitNotFound');
  return debit;
}

/** @throws ApiError cardDeclined (B76) */
function approved(debit: DebitRow): DebitRow {
  const { id, decline_code } = debit;
  if (decline_code === null) return debit;
  const message = `The card was declined: ${decline_code}`;
  throw new ApiError('cardDeclined', { message, fields: { declineCode: decline_code, debit_id: id } });
}
