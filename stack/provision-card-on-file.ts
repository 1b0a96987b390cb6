import type { Gateway } from '../gateway/index.ts';
import type { AccountConfig } from './config.ts';
import { slug } from './slug.ts';

/**
 * Contacts, their saved cards, bank accounts and the webhooks of an account, at once, so that they share commits.
 * Identifiers that are not given follow from the names, so that doing it again finds the same.
 *
 * @throws ApiError for a card that is no test card, or an identifier of another account
 */
export async function provisionCardOnFile(
  gateway: Gateway,
  accountId: string,
  { contacts, bankAccounts, webhooks }: AccountConfig,
): Promise<void> {
  await Promise.all([
    ...contacts.map((contact) => provisionContact(gateway, accountId, contact)),
    ...bankAccounts.map(({ id, name, number }) =>
      gateway.contacts.createBankAccount({
        id: id ?? `${accountId}-${slug(name)}`,
        accountId,
        name,
        ...(number === undefined ? {} : { number }),
      }),
    ),
    ...webhooks.map(({ id, secret, ...webhook }) =>
      gateway.webhooks.create({
        id: id ?? `${accountId}-${slug(webhook.url)}`.slice(0, 64),
        accountId,
        ...webhook,
        ...(secret === undefined ? {} : { secret }),
      }),
    ),
  ]);
}

async function provisionContact(
  gateway: Gateway,
  accountId: string,
  { id, name, email, cards }: AccountConfig['contacts'][number],
): Promise<void> {
  const contact = await gateway.contacts.createContact({
    id: id ?? `${accountId}-${slug(name)}`,
    accountId,
    name,
    ...(email === undefined ? {} : { email }),
  });
  await Promise.all(
    cards.map(({ id: cardId, card, expiry }) =>
      gateway.contacts.createCard(contact.id, {
        id: cardId ?? `${contact.id}-${card}`,
        card,
        ...(expiry === undefined ? {} : { expiry }),
      }),
    ),
  );
}
