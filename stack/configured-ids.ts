import type { z } from 'zod';
import type { AccountConfig } from './account-config.ts';
import { slugify } from './slug.ts';

type Contact = AccountConfig['contacts'][number];
type Webhook = Pick<AccountConfig['webhooks'][number], 'id' | 'url'>;

/** Returns the id of an account's contact or bank account. */
export function makeAccountScopedId(accountId: string, { id, name }: Pick<Contact, 'id' | 'name'>): string {
  return id ?? `${accountId}-${slugify(name)}`;
}

export function savedCardIdOf(contactId: string, { id, card }: Contact['cards'][number]): string {
  return id ?? `${contactId}-${card}`;
}

/**
 * Returns a webhook's id. Two long addresses can get the same id. Even so, the way in which the id is made must not
 * change, because stored data identify a webhook by its id.
 */
export function webhookIdOf(accountId: string, { id, url }: Webhook): string {
  return id ?? `${accountId}-${slugify(url)}`.slice(0, 64);
}

/**
 * Returns the id of the webhook that gets the results of /async. The id does not depend on the webhook's address, so
 * that a new address in the configuration replaces the old address.
 */
export function adyenResultsWebhookIdOf(accountId: string): string {
  return `${accountId}-adyen-results`.slice(0, 64);
}

/** Reports an error if two accounts would have the same id. The error is reported at the later account. */
export function refuseRepeatedAccounts(
  accounts: readonly AccountConfig[],
  context: z.core.$RefinementCtx,
): void {
  const known = new Map<string, string>();
  for (const [account, { name }] of accounts.entries()) {
    const id = slugify(name);
    const other = known.get(id);
    const message = other === name ? `${name} is used twice` : `${name} has the same id as ${other}: ${id}`;
    if (other !== undefined) context.addIssue({ code: 'custom', path: [account, 'name'], message });
    known.set(id, name);
  }
}

/**
 * Reports an error if two terminals have the same poiId, because a device is in only one place. The error is reported
 * at the later terminal.
 */
export function refuseRepeatedTerminals(
  accounts: readonly AccountConfig[],
  context: z.core.$RefinementCtx,
): void {
  const known = new Set<string>();
  for (const [account, { stores }] of accounts.entries())
    for (const [store, { terminals }] of stores.entries())
      for (const [terminal, { poiId }] of terminals.entries()) {
        const path = [account, 'stores', store, 'terminals', terminal, 'poiId'];
        if (known.has(poiId)) context.addIssue({ code: 'custom', path, message: `${poiId} is used twice` });
        known.add(poiId);
      }
}

/**
 * Reports an error if two contacts, cards, bank accounts or webhooks would have the same id, or if two stores of an
 * account have the same name. The error is reported at the later of the two.
 */
export function refuseRepeatedIds(accounts: readonly AccountConfig[], context: z.core.$RefinementCtx): void {
  const contacts = refuseRepeatedIn(context);
  const cards = refuseRepeatedIn(context);
  const bankAccounts = refuseRepeatedIn(context);
  const webhooks = new Map<string, string>();
  for (const [index, account] of accounts.entries()) {
    const accountId = slugify(account.name);
    for (const [at, contact] of account.contacts.entries()) {
      const contactId = makeAccountScopedId(accountId, contact);
      const path = [index, 'contacts', at];
      contacts({ path, field: 'name', id: contact.id, called: contact.name }, contactId);
      for (const [place, card] of contact.cards.entries()) {
        const one = { path: [...path, 'cards', place], field: 'card', id: card.id, called: card.card };
        cards(one, savedCardIdOf(contactId, card));
      }
    }
    for (const [at, { id, name }] of account.bankAccounts.entries()) {
      const one = { path: [index, 'bankAccounts', at], field: 'name', id, called: name };
      bankAccounts(one, makeAccountScopedId(accountId, { id, name }));
    }
    refuseRepeatedWebhooks(account, index, webhooks, context);
    refuseRepeatedStores(account, index, context);
  }
}

/**
 * Reports an error if two webhooks would have the same id. `known` contains the webhooks that were checked earlier: its
 * keys are their ids, and its values are their places in the configuration.
 */
function refuseRepeatedWebhooks(
  { name, webhooks, adyen }: AccountConfig,
  account: number,
  known: Map<string, string>,
  context: z.core.$RefinementCtx,
): void {
  for (const [at, webhook] of webhooks.entries()) {
    const path = [account, 'webhooks', at];
    const id = webhookIdOf(slugify(name), webhook);
    const other = known.get(id);
    known.set(id, path.join('.'));
    if (other === undefined) continue;
    const field = webhook.id === undefined ? 'url' : 'id';
    context.addIssue({ code: 'custom', path: [...path, field], message: webhookClash(webhook, other) });
  }
  if (adyen?.events === undefined) return;
  const path = [account, 'adyen', 'events'];
  const id = adyenResultsWebhookIdOf(slugify(name));
  const other = known.get(id);
  known.set(id, path.join('.'));
  const message = `needs the id ${id}, but accounts.${other} has this id: give that webhook another id`;
  if (other !== undefined) context.addIssue({ code: 'custom', path, message });
}

/** Reports an error if two stores of an account have the same name, because a store is identified only by its name. */
function refuseRepeatedStores(
  { stores }: AccountConfig,
  account: number,
  context: z.core.$RefinementCtx,
): void {
  const known = new Set<string>();
  for (const [at, { name }] of stores.entries()) {
    const path = [account, 'stores', at, 'name'];
    const message = `${name} is used twice: rename one store, or put all terminals into one`;
    if (known.has(name)) context.addIssue({ code: 'custom', path, message });
    known.add(name);
  }
}

interface Configured {
  readonly path: readonly (string | number)[];
  /** The field that contains the name. Without an `id`, the id is made from that name. */
  readonly field: string;
  readonly called: string;
  readonly id: string | undefined;
}

function refuseRepeatedIn(context: z.core.$RefinementCtx): (one: Configured, id: string) => void {
  const known = new Map<string, string>();
  return (one, id) => {
    const other = known.get(id);
    known.set(id, one.called);
    if (other === undefined) return;
    const path = [...one.path, one.id === undefined ? one.field : 'id'];
    context.addIssue({ code: 'custom', path, message: clashOf(one, other, id) });
  };
}

function clashOf({ called, id }: Configured, other: string, made: string): string {
  if (id !== undefined) return `${id} is used twice`;
  const clash =
    other === called ? `${called} is used twice` : `${called} has the same id as ${other}, ${made}`;
  return `${clash}: give one of them another id`;
}

/**
 * Returns the message about two webhooks with the same id. The message contains neither the webhook's address nor an id
 * that was made from the address, because an address may contain a secret.
 */
function webhookClash({ id }: Webhook, other: string): string {
  if (id !== undefined) return `${id} is used twice`;
  return `has the same id as accounts.${other}: give one of them another id`;
}
