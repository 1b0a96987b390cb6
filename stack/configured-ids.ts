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

interface Account {
  readonly name: string;
  readonly contacts: readonly (Named & { readonly cards: readonly SavedCard[] })[];
  readonly bankAccounts: readonly Named[];
}

/** The id of a contact or bank account of an account. */
export function idIn(accountId: string, { id, name }: Named): string {
  return id ?? `${accountId}-${slug(name)}`;
}

export function cardIdOf(contactId: string, { id, card }: SavedCard): string {
  return id ?? `${contactId}-${card}`;
}

/** Contacts, their cards and bank accounts: of two that would be one, the later is at fault. */
export function cardsOnFileOnce(accounts: readonly Account[], context: z.core.$RefinementCtx): void {
  const contacts = onceIn(context);
  const cards = onceIn(context);
  const bankAccounts = onceIn(context);
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
  }
}

interface Configured {
  readonly path: readonly (string | number)[];
  /** Where it says what it is called, of which its id is made where it has none. */
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
  const clash = other === called ? `${called} is used twice` : `${called} has the id of ${other}, ${made}`;
  return `${clash}: give one an id of its own`;
}
