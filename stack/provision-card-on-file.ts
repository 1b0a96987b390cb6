import { ApiError, type Gateway } from '../gateway/index.ts';
import type { AccountConfig } from './config.ts';
import { slug } from './slug.ts';
import { StartError } from './start-error.ts';

/**
 * Contacts, their saved cards, bank accounts, the security question and the webhooks of an account. Identifiers that are not given follow from the
 * names, so that doing it again finds the same.
 *
 * @throws StartError for a card that is no test card, or an identifier of another account
 */
export async function provisionCardOnFile(
  gateway: Gateway,
  accountId: string,
  { name: accountName, contacts, bankAccounts, securityQuestion, webhooks }: AccountConfig,
): Promise<void> {
  try {
    for (const { id, name, email, cards } of contacts) {
      const contact = await gateway.contacts.createContact({
        id: id ?? `${accountId}-${slug(name)}`,
        accountId,
        name,
        ...(email === undefined ? {} : { email }),
      });
      for (const { id: cardId, card, expiry } of cards)
        await gateway.contacts.createCard(contact.id, {
          id: cardId ?? `${contact.id}-${card}`,
          card,
          ...(expiry === undefined ? {} : { expiry }),
        });
    }
    for (const { id, name, number } of bankAccounts)
      await gateway.contacts.createBankAccount({
        id: id ?? `${accountId}-${slug(name)}`,
        accountId,
        name,
        ...(number === undefined ? {} : { number }),
      });
    if (securityQuestion) await gateway.questions.set(accountId, securityQuestion);
    for (const { id, secret, ...webhook } of webhooks)
      await gateway.webhooks.create({
        id: id ?? `${accountId}-${slug(webhook.url)}`.slice(0, 64),
        accountId,
        ...webhook,
        ...(secret === undefined ? {} : { secret }),
      });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [fault] = error.details ?? [];
    throw new StartError(`${accountName}: ${fault ? `${fault.path} ${fault.message}` : error.message}`);
  }
}
