import type { Store } from './store.ts';

/** Tables whose `id` is only ever made here. */
const large = [
  'payments',
  'ledger',
  'debits',
  'refunds',
  'events',
  'credits',
  'webhook_deliveries',
  'webhook_attempts',
] as const;
/** Tables whose `id` may be the operator's own choice. */
const small = [
  'accounts',
  'tokens',
  'stores',
  'terminals',
  'contacts',
  'credit_cards',
  'bank_accounts',
  'webhooks',
] as const;

/**
 * The moment (epoch ms) inside the latest identifier that is stored, or undefined where none is. New ones must
 * sort behind it, also where the clock was set back or, with a virtual clock, started over.
 */
export function latestIdentifierMs(store: Store): Promise<number | undefined> {
  return store.read(async (db) => {
    const ids: string[] = [];
    for (const table of large) {
      const row = await db.selectFrom(table).select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
      if (row) ids.push(row.id);
    }
    for (const table of small) {
      const rows = await db.selectFrom(table).select('id').execute();
      for (const { id } of rows) ids.push(id);
    }
    const moments = ids.map(momentOf).filter((ms) => ms !== undefined);
    return moments.length > 0 ? moments.reduce((one, other) => Math.max(one, other)) : undefined;
  });
}

/** The first 48 bits of a UUID of version 7 are its time. */
function momentOf(id: string): number | undefined {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/.exec(id);
  return match ? Number.parseInt(`${match[1]}${match[2]}`, 16) : undefined;
}
