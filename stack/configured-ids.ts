import type { z } from 'zod';
import { slug } from './slug.ts';

interface Named {
  readonly id?: string;
  readonly name: string;
}

interface SavedCard {
  readonly id?: string;
  readonly card: string;
}

interface Webhook {
  readonly id?: string;
  readonly url: string;
}

interface Account {
  readonly name: string;
  readonly stores: readonly { readonly name: string }[];
  readonly webhooks: readonly Webhook[];
  readonly contacts: readonly (Named & { readonly cards: readonly SavedCard[] })[];
  readonly bankAccounts: readonly Named[];
}

/** Returns the id of an account's contact or bank account. */
export function idIn(accountId: string, { id, name }: Named): string {
  return id ?? `${accountId}-${slug(name)}`;
}

export function cardIdOf(contactId: string, { id, card }: SavedCard): string {
  return id ?? `${contactId}-${card}`;
}

/**
 * Returns a webhook's id. Two long addresses may give the same id, but the rule must not change: stored data know a
 * webhook by its id.
 */
export function webhookIdOf(accountId: string, { id, url }: Webhook): string {
  return id ?? `${accountId}-${slug(url)}`.slice(0, 64);
}

/** Refuses two stores, contacts, cards, bank accounts or webhooks that would have one id, and reports the later one. */
export function everythingOnce(accounts: readonly Account[], context: z.core.$RefinementCtx): void {
  const contacts = onceIn(context);
  const cards = onceIn(context);
  const bankAccounts = onceIn(context);
  const webhooks = new Map<string, string>();
  for (const [index, account] of accounts.entries()) {
    const accountId = slug(account.name);
    for (const [at, contact] of account.contacts.entries()) {
      const contactId = idIn(accountId, contact);
      const path = [index, 'contacts', at];
      contacts({ path, field: 'name', id: contact.id, called: contact.name }, contactId);
      for (const [place, card] of contact.cards.entries()) {
        const one = { path: [...path, 'cards', place], field: 'card', id: card.id, called: card.card };
        cards(one, cardIdOf(contactId, card));
      }
    }
    for (const [at, { id, name }] of account.bankAccounts.entries()) {
      const one = { path: [index, 'bankAccounts', at], field: 'name', id, called: name };
      bankAccounts(one, idIn(accountId, { id, name }));
    }
    for (const [at, webhook] of account.webhooks.entries()) {
      const path = [index, 'webhooks', at];
      const other = webhooks.get(webhookIdOf(accountId, webhook));
      webhooks.set(webhookIdOf(accountId, webhook), path.join('.'));
      if (other === undefined) continue;
      const field = webhook.id === undefined ? 'url' : 'id';
      context.addIssue({ code: 'custom', path: [...path, field], message: webhookClash(webhook, other) });
    }
    storesOnce(account, index, context);
  }
}

/** Refuses two stores of an account with one name, because only the name identifies a store. */
function storesOnce({ stores }: Account, account: number, context: z.core.$RefinementCtx): void {
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
  /** The field with the name. If there is no `id`, the id is made from that name. */
  readonly field: string;
  readonly called: string;
  readonly id: string | undefined;
}

function onceIn(context: z.core.$RefinementCtx): (one: Configured, id: string) => void {
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
 * Describes two webhooks with one id. The text contains neither the address nor the id made from it, because an address
 * may contain a secret.
 */
function webhookClash({ id }: Webhook, other: string): string {
  if (id !== undefined) return `${id} is used twice`;
  return `has the same id as accounts.${other}: give one of them another id`;
}
