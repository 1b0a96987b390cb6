import type { Gateway } from '../gateway/index.ts';
import type { AccountConfig } from './account-config.ts';
import { makeAccountScopedId, savedCardIdOf } from './configured-ids.ts';

/** A customer with saved cards. */
interface ProvisionedContact {
  id: string;
  account: string;
  /** The ids of the cards, for `credit_card_id` in paths. */
  creditCards: string[];
}

/** A bank account that can receive the money of a debit. Its id is `to_bank_account_id` in requests. */
interface ProvisionedBankAccount {
  id: string;
  account: string;
}

/** The identifiers that are needed to charge saved cards. */
export interface ProvisionedCardOnFile {
  contacts: ProvisionedContact[];
  bankAccounts: ProvisionedBankAccount[];
}

/**
 * Makes the contacts, saved cards and bank accounts of an account. Makes them at the same time, so that several share
 * one commit of the database. If an identifier is not configured, it is made from the name, so that the next start
 * finds the same contact, card or bank account.
 *
 * @throws ApiError if a card is no test card, or if another account already has an identifier
 */
export async function provisionCardOnFile(
  gateway: Gateway,
  accountId: string,
  { contacts, bankAccounts }: AccountConfig,
): Promise<ProvisionedCardOnFile> {
  const [madeContacts, madeBankAccounts] = await Promise.all([
    Promise.all(contacts.map((contact) => provisionContact(gateway, accountId, contact))),
    Promise.all(bankAccounts.map((each) => provisionBankAccount(gateway, accountId, each))),
  ]);
  return { contacts: madeContacts, bankAccounts: madeBankAccounts };
}

async function provisionContact(
  gateway: Gateway,
  accountId: string,
  { id, name, email, cards }: AccountConfig['contacts'][number],
): Promise<ProvisionedContact> {
  const contact = await gateway.contacts.createContact({
    id: makeAccountScopedId(accountId, { id, name }),
    accountId,
    name,
    email,
  });
  const creditCards = await Promise.all(
    cards.map((each) =>
      gateway.contacts.createCard(contact.id, {
        id: savedCardIdOf(contact.id, each),
        card: each.card,
        expiry: each.expiry,
      }),
    ),
  );
  return { id: contact.id, account: accountId, creditCards: creditCards.map((card) => card.id) };
}

async function provisionBankAccount(
  gateway: Gateway,
  accountId: string,
  { id, name, number }: AccountConfig['bankAccounts'][number],
): Promise<ProvisionedBankAccount> {
  const made = await gateway.contacts.createBankAccount({
    id: makeAccountScopedId(accountId, { id, name }),
    accountId,
    name,
    number,
  });
  return { id: made.id, account: accountId };
}
