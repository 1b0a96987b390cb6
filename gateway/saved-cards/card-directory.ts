import { RecentlyUsedCache } from '../../shared/recently-used.ts';
import type { MemoryCopyUpdater } from '../engine/memory-copies.ts';
import { ApiError } from '../http/errors.ts';
import { isOwnedBy, type Owner, type OwnerColumns } from '../store/ownership.ts';
import { prepareQuery } from '../store/prepared.ts';
import type { BankAccountRow, ContactRow, SavedCardRow } from '../store/rows/saved-cards.ts';
import type { Tx } from '../store/schema.ts';
import type { GatewayStore } from '../store/store.ts';

/** The maximum number of rows of each kind in memory. */
const mostRecent = 1_000;

const contactById = prepareQuery((db, arg: (name: 'id') => never) =>
  db.selectFrom('contacts').selectAll().where('id', '=', arg('id')),
);
const cardById = prepareQuery((db, arg: (name: 'id') => never) =>
  db.selectFrom('credit_cards').selectAll().where('id', '=', arg('id')),
);
const bankAccountById = prepareQuery((db, arg: (name: 'id') => never) =>
  db.selectFrom('bank_accounts').selectAll().where('id', '=', arg('id')),
);

/**
 * Finds the contacts, saved cards and bank accounts that debits and credits need. The rows that were used last are in
 * memory.
 */
export class CardAndBankAccountDirectory {
  readonly #store: GatewayStore;
  readonly #copies: MemoryCopyUpdater;
  readonly #contacts = new RecentlyUsedCache<ContactRow>(mostRecent);
  readonly #cards = new RecentlyUsedCache<SavedCardRow>(mostRecent);
  readonly #bankAccounts = new RecentlyUsedCache<BankAccountRow>(mostRecent);
  /**
   * Counts changes. If a change happens while a row is being read, the row is not put into memory, because it may be
   * old.
   */
  #changes = 0;

  constructor(store: GatewayStore, copies: MemoryCopyUpdater) {
    this.#store = store;
    this.#copies = copies;
    const kept = { contacts: this.#contacts, credit_cards: this.#cards, bank_accounts: this.#bankAccounts };
    for (const [table, recent] of Object.entries(kept))
      copies.keep(table as keyof typeof kept, {
        known: () => recent.keys(),
        install: (id) => this.#forget(id),
      });
  }

  /**
   * Finds a contact of the caller's account.
   *
   * @throws ApiError contactNotFound, also for a contact of another account (B7)
   */
  async contact(owner: Owner, id: string): Promise<ContactRow> {
    return owned(await this.#find(this.#contacts, contactById, id), owner, 'contactNotFound');
  }

  /**
   * Finds a card of a contact.
   *
   * @throws ApiError contactNotFound, creditCardNotFound
   */
  async card(owner: Owner, contactId: string, id: string): Promise<SavedCardRow> {
    const contact = await this.contact(owner, contactId);
    const row = await this.#find(this.#cards, cardById, id);
    return owned(row?.contact_id === contact.id ? row : undefined, owner, 'creditCardNotFound');
  }

  /**
   * Finds a bank account of the caller's account.
   *
   * @throws ApiError bankAccountNotFound
   */
  async bankAccount(owner: Owner, id: string): Promise<BankAccountRow> {
    return owned(await this.#find(this.#bankAccounts, bankAccountById, id), owner, 'bankAccountNotFound');
  }

  /** Gives the present state of a debit's card. */
  async cardOf({ credit_card_id: id }: { credit_card_id: string }): Promise<SavedCardRow> {
    const row = await this.#find(this.#cards, cardById, id);
    if (!row) throw new Error(`card ${id} is gone`);
    return row;
  }

  /** Call this when this gateway has changed the row with this identifier on disk. */
  changed(table: 'contacts' | 'credit_cards' | 'bank_accounts', id: string): void {
    this.#forget(id);
    this.#copies.changed(table, id);
  }

  #forget(id: string): void {
    this.#changes++;
    for (const rows of [this.#contacts, this.#cards, this.#bankAccounts]) rows.delete(id);
  }

  async #find<Row>(
    recent: RecentlyUsedCache<Row>,
    read: (db: Tx, values: { id: string }) => Promise<Row[]>,
    id: string,
  ): Promise<Row | undefined> {
    const known = recent.get(id);
    if (known) return known;
    const before = this.#changes;
    const [row] = await this.#store.read((db) => read(db, { id }));
    if (row && before === this.#changes) recent.set(id, row);
    return row;
  }
}

function owned<Row extends OwnerColumns>(
  row: Row | undefined,
  owner: Owner,
  missing: 'contactNotFound' | 'creditCardNotFound' | 'bankAccountNotFound',
): Row {
  if (!row || !isOwnedBy(row, owner)) throw new ApiError(missing);
  return row;
}
