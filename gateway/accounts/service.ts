import { isoTime } from '../../shared/clock.ts';
import { currencyExponent } from '../../shared/money.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { loneGatewayCopyUpdater, type MemoryCopyUpdater } from '../engine/memory-copies.ts';
import { ApiError } from '../http/errors.ts';
import type { AccountRow } from '../store/rows/accounts.ts';
import type { GatewayStore } from '../store/store.ts';
import type { Account, AccountChanges, AccountInput } from './schemas.ts';

/** Keeps the accounts. There are few accounts, and every request needs one, so all accounts are in memory. */
export class AccountService {
  #runtime: Runtime;
  #store: GatewayStore;
  readonly #copies: MemoryCopyUpdater;
  #accounts = new Map<string, Account>();

  private constructor(runtime: Runtime, store: GatewayStore, copies: MemoryCopyUpdater) {
    this.#runtime = runtime;
    this.#store = store;
    this.#copies = copies;
    copies.keep('accounts', {
      known: () => this.#accounts.keys(),
      install: (id, row) => void (row ? this.#accounts.set(id, accountOf(row)) : this.#accounts.delete(id)),
    });
  }

  static async open(
    runtime: Runtime,
    store: GatewayStore,
    copies: MemoryCopyUpdater = loneGatewayCopyUpdater,
  ): Promise<AccountService> {
    const service = new AccountService(runtime, store, copies);
    const rows = await store.read((db) =>
      db.selectFrom('accounts').selectAll().orderBy('created_at').execute(),
    );
    for (const row of rows) service.#accounts.set(row.id, accountOf(row));
    return service;
  }

  /** Makes an account. If an account with this id already exists, changes it to the given values. */
  async createAccount(input: AccountInput): Promise<Account> {
    const { id = this.#runtime.identifiers.next(), ...fields } = input;
    if (this.#accounts.has(id)) return this.updateAccount(id, fields);
    const row: AccountRow = {
      id,
      name: fields.name,
      currency: fields.currency,
      transaction_limit: fields.transactionLimit ?? 10_000 * 10 ** (currencyExponent(fields.currency) ?? 2),
      magic_amounts: fields.magicAmounts === false ? 0 : 1,
      merchant_id: fields.merchantId ?? `M${100_000_000 + this.#runtime.random.int(900_000_000)}`,
      card_on_file: fields.cardOnFile ? 1 : 0,
      surcharge_ppm: partsPerMillion(fields.surchargePercent ?? 0),
      created_at: this.#runtime.clock.now(),
    };
    const made = await this.#store.write(async (db) => {
      // If another request has just made this account, no row is inserted, and the account is updated instead.
      const insert = db
        .insertInto('accounts')
        .values(row)
        .onConflict((conflict) => conflict.doNothing());
      return insert.returning('id').executeTakeFirst();
    });
    return made ? this.#remember(row) : this.#update(id, fields);
  }

  /** @throws ApiError notFound */
  async updateAccount(id: string, changes: AccountChanges): Promise<Account> {
    this.account(id);
    return this.#update(id, changes);
  }

  async #update(id: string, changes: AccountChanges): Promise<Account> {
    const row = await this.#store.write((db) =>
      db
        .updateTable('accounts')
        .set({
          // If the value of a column is undefined, the column is not changed.
          name: changes.name,
          currency: changes.currency,
          transaction_limit: changes.transactionLimit,
          magic_amounts: flagOf(changes.magicAmounts),
          merchant_id: changes.merchantId,
          card_on_file: flagOf(changes.cardOnFile),
          surcharge_ppm:
            changes.surchargePercent === undefined ? undefined : partsPerMillion(changes.surchargePercent),
          id,
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow(),
    );
    return this.#remember(row);
  }

  listAccounts(): Account[] {
    return [...this.#accounts.values()];
  }

  /** @throws ApiError notFound */
  account(id: string): Account {
    const account = this.#accounts.get(id);
    if (!account) throw new ApiError('notFound', { message: `Account ${id} does not exist` });
    return account;
  }

  #remember(row: AccountRow): Account {
    const account = accountOf(row);
    this.#accounts.set(row.id, account);
    this.#copies.changed('accounts', row.id);
    this.#runtime.journal.add('control.changed', { what: `account ${row.id}` });
    return account;
  }
}

function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    currency: row.currency,
    transactionLimit: row.transaction_limit,
    magicAmounts: row.magic_amounts === 1,
    merchantId: row.merchant_id,
    cardOnFile: row.card_on_file === 1,
    surchargePercent: row.surcharge_ppm / 10_000,
    createdAt: isoTime(row.created_at),
  };
}

function partsPerMillion(percent: number): number {
  return Math.round(percent * 10_000);
}

function flagOf(isOn: boolean | undefined): 0 | 1 | undefined {
  if (isOn === undefined) return undefined;
  return isOn ? 1 : 0;
}
