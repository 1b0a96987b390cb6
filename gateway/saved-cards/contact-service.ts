import { createHash } from 'node:crypto';
import { isoTime } from '../../shared/clock.ts';
import type { AccountService } from '../accounts/service.ts';
import { ApiError } from '../http/errors.ts';
import { readRowById, whereEqualIfGiven } from '../store/read-rows.ts';
import type { BankAccountRow, ContactRow, SavedCardRow } from '../store/rows/saved-cards.ts';
import type { Tx } from '../store/schema.ts';
import type { StoreParts } from '../store/store.ts';
import type { CardAndBankAccountDirectory } from './card-directory.ts';
import type { TestCard } from './default/test-cards.ts';
import type {
  Contact,
  ContactInput,
  CreditCard,
  CreditCardChanges,
  CreditCardInput,
  MerchantBankAccount,
  MerchantBankAccountInput,
} from './provisioning-schemas.ts';
import { describeTestCardBehaviour, findTestCard } from './test-cards.ts';

/** The expiry date of a saved card if no date is given. */
const farAhead = '1249';

interface ContactParts extends StoreParts {
  accounts: AccountService;
  directory: CardAndBankAccountDirectory;
}

/** Keeps bank accounts, and contacts with their saved cards. The operator makes all of them (B1). */
export class ContactService {
  readonly #parts: ContactParts;

  constructor(parts: ContactParts) {
    this.#parts = parts;
  }

  /**
   * Makes a contact. If a contact with the same id exists, that contact gets the given values.
   *
   * @throws ApiError notFound if the account does not exist, conflict if the id belongs to another account
   */
  async createContact(input: ContactInput): Promise<Contact> {
    const row: ContactRow = { ...this.#owned(input), name: input.name, email: input.email ?? null };
    const cards = await this.#parts.store.write(async (tx) => {
      await put(tx, 'contacts', row);
      return cardsOf(tx, [row.id]);
    });
    this.#changed('contacts', row.id, `contact ${row.id}`);
    return contactView(row, cards);
  }

  listContacts(accountId?: string): Promise<Contact[]> {
    return this.#parts.store.read(async (tx) => {
      const query = whereEqualIfGiven(tx.selectFrom('contacts').selectAll(), { account_id: accountId });
      const contacts = await query.orderBy('created_at').orderBy('id').execute();
      const cards = await cardsOf(tx, accountId === undefined ? undefined : contacts.map(({ id }) => id));
      return contacts.map((contact) => contactView(contact, cards));
    });
  }

  /** @throws ApiError contactNotFound */
  getContact(id: string): Promise<Contact> {
    return this.#parts.store.read(async (tx) =>
      contactView(await contactRow(tx, id), await cardsOf(tx, [id])),
    );
  }

  /**
   * Saves a test card with a contact. If a card with the same id exists, that card gets the given values.
   *
   * @throws ApiError contactNotFound, invalidRequest if the card is no test card, conflict if the id belongs to another
   * contact
   */
  async createCard(contactId: string, input: CreditCardInput): Promise<CreditCard> {
    const testCard = testCardOf(input.card);
    const card = await this.#parts.store.write(async (tx) => {
      const contact = await contactRow(tx, contactId);
      const id = input.id ?? this.#parts.runtime.identifiers.next();
      const former = await readRowById(tx, 'credit_cards', id);
      if (former && former.contact_id !== contactId)
        throw new ApiError('conflict', { message: `The card ${id} belongs to another contact` });
      const row: SavedCardRow = {
        id,
        account_id: contact.account_id,
        environment: contact.environment,
        contact_id: contactId,
        ...tokenOf(testCard, contact.account_id),
        expiry: input.expiry ?? former?.expiry ?? farAhead,
        created_at: former?.created_at ?? this.#parts.runtime.clock.now(),
      };
      if (former) await tx.updateTable('credit_cards').set(row).where('id', '=', id).execute();
      else await tx.insertInto('credit_cards').values(row).execute();
      return row;
    });
    this.#changed('credit_cards', card.id, `card ${card.id} of contact ${contactId}`);
    return cardView(card);
  }

  /**
   * From now on, makes a saved card behave like another test card, or gives it another expiry date. So a card that has
   * worked can fail later.
   *
   * @throws ApiError creditCardNotFound, invalidRequest
   */
  async updateCard(contactId: string, cardId: string, changes: CreditCardChanges): Promise<CreditCard> {
    const testCard = changes.card === undefined ? undefined : testCardOf(changes.card);
    const card = await this.#parts.store.write(async (tx) => {
      const former = await readRowById(tx, 'credit_cards', cardId);
      if (former?.contact_id !== contactId) throw new ApiError('creditCardNotFound');
      const row: SavedCardRow = {
        ...former,
        ...(testCard && { test_card: testCard.id }),
        ...(changes.expiry === undefined ? {} : { expiry: changes.expiry }),
      };
      await tx.updateTable('credit_cards').set(row).where('id', '=', cardId).execute();
      return row;
    });
    this.#changed('credit_cards', cardId, `card ${cardId} of contact ${contactId}`);
    return cardView(card);
  }

  /**
   * Makes a bank account. If a bank account with the same id exists, that bank account gets the given values.
   *
   * @throws ApiError notFound if the account does not exist, conflict if the id belongs to another account
   */
  async createBankAccount(input: MerchantBankAccountInput): Promise<MerchantBankAccount> {
    const end = input.number?.replaceAll(' ', '').slice(-4);
    const row: BankAccountRow = {
      ...this.#owned(input),
      name: input.name,
      masked_number: end === undefined ? null : `**** ${end}`,
    };
    await this.#parts.store.write((tx) => put(tx, 'bank_accounts', row));
    this.#changed('bank_accounts', row.id, `bank account ${row.id}`);
    return bankAccountView(row);
  }

  listBankAccounts(accountId?: string): Promise<MerchantBankAccount[]> {
    return this.#parts.store.read(async (tx) => {
      const query = whereEqualIfGiven(tx.selectFrom('bank_accounts').selectAll(), { account_id: accountId });
      return (await query.orderBy('created_at').orderBy('id').execute()).map(bankAccountView);
    });
  }

  #owned(input: { id?: string; accountId: string; environment?: ContactRow['environment'] }) {
    return {
      id: input.id ?? this.#parts.runtime.identifiers.next(),
      account_id: this.#parts.accounts.account(input.accountId).id,
      environment: input.environment ?? ('sandbox' as const),
      created_at: this.#parts.runtime.clock.now(),
    };
  }

  #changed(table: 'contacts' | 'credit_cards' | 'bank_accounts', id: string, what: string): void {
    this.#parts.directory.changed(table, id);
    this.#parts.runtime.journal.add('control.changed', { what });
  }
}

/**
 * Stores a new row. If a row with the same identifier exists, that row gets the new values, but keeps its time of
 * creation.
 */
async function put(
  tx: Tx,
  named: 'contacts' | 'bank_accounts',
  row: ContactRow | BankAccountRow,
): Promise<unknown> {
  const table = named as 'contacts';
  const former = await readRowById(tx, table, row.id);
  if (!former)
    return tx
      .insertInto(table)
      .values(row as ContactRow)
      .execute();
  if (former.account_id !== row.account_id || former.environment !== row.environment)
    throw new ApiError('conflict', {
      message: `The id ${row.id} is taken by another account or environment`,
    });
  row.created_at = former.created_at;
  return tx.updateTable(table).set(row).where('id', '=', row.id).execute();
}

async function contactRow(tx: Tx, id: string): Promise<ContactRow> {
  const row = await readRowById(tx, 'contacts', id);
  if (!row) throw new ApiError('contactNotFound');
  return row;
}

/**
 * Reads the cards of these contacts. If `contactIds` is undefined or has more than 500 entries, reads the cards of all
 * contacts.
 */
function cardsOf(tx: Tx, contactIds: string[] | undefined): Promise<SavedCardRow[]> {
  const query = tx.selectFrom('credit_cards').selectAll().orderBy('created_at').orderBy('id');
  if (contactIds === undefined || contactIds.length > 500) return query.execute();
  return query.where('contact_id', 'in', contactIds).execute();
}

function testCardOf(idOrNumber: string): TestCard {
  const testCard = findTestCard(idOrNumber) ?? findTestCard(idOrNumber.replaceAll(/[ -]/g, ''));
  if (testCard) return testCard;
  const message =
    'is not a test card; GET /control/test-cards lists the cards that can be saved. Cards of a terminal have other ids';
  throw new ApiError('invalidRequest', { details: [{ path: 'card', message }] });
}

/** Gives the fields that are stored when a test card is saved. The number is not stored. */
function tokenOf({ id, brand, number }: TestCard, accountId: string) {
  const fingerprint = createHash('sha256').update(`${accountId}\n${number}`).digest('base64url').slice(0, 16);
  const masked_number = `${number.slice(0, 6)} **** ${number.slice(-4)}`;
  return { test_card: id, brand, masked_number, fingerprint };
}

function contactView(row: ContactRow, cards: readonly SavedCardRow[]): Contact {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    name: row.name,
    email: row.email,
    creditCards: cards.filter(({ contact_id }) => contact_id === row.id).map(cardView),
    createdAt: isoTime(row.created_at),
  };
}

function cardView(row: SavedCardRow): CreditCard {
  const testCard = findTestCard(row.test_card);
  return {
    id: row.id,
    contactId: row.contact_id,
    brand: row.brand as CreditCard['brand'],
    maskedNumber: row.masked_number,
    expiry: row.expiry,
    fingerprint: row.fingerprint,
    testCard: row.test_card,
    behaviour: testCard ? describeTestCardBehaviour(testCard) : 'approves',
    createdAt: isoTime(row.created_at),
  };
}

function bankAccountView(row: BankAccountRow): MerchantBankAccount {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    name: row.name,
    maskedNumber: row.masked_number,
    createdAt: isoTime(row.created_at),
  };
}
