import type { Schema } from './schema.ts';
import type { Store } from './store.ts';

/** Every table whose rows have an identifier, which the compiler checks. A visit's `id` is a hash; other tables' rows are soon gone. */
type Identified = Exclude<
  {
    [Table in keyof Schema]: Schema[Table] extends { id: string } ? Table : never;
  }[keyof Schema],
  'credit_visits' | 'delivery_notices' | 'console_ended' | 'faults' | 'aimed_faults'
>;

/** The maker of a table's identifiers: only the gateway, or also the operator, if the operator wants to. */
const madeBy: Record<Identified, 'gateway' | 'operator'> = {
  payments: 'gateway',
  ledger: 'gateway',
  debits: 'gateway',
  refunds: 'gateway',
  events: 'gateway',
  credits: 'gateway',
  gateways: 'gateway',
  webhook_deliveries: 'gateway',
  webhook_attempts: 'gateway',
  accounts: 'operator',
  tokens: 'operator',
  stores: 'operator',
  terminals: 'operator',
  contacts: 'operator',
  credit_cards: 'operator',
  bank_accounts: 'operator',
  webhooks: 'operator',
};
const tables = Object.entries(madeBy) as [Identified, 'gateway' | 'operator'][];

/**
 * The moment (epoch ms) inside the latest identifier that is stored, or undefined if none is. New ones must
 * sort behind it, even if the clock was set back or, with a virtual clock, started over.
 */
export function latestIdentifierMs(store: Store): Promise<number | undefined> {
  return store.read(async (db) => {
    const ids: string[] = [];
    for (const [table, maker] of tables) {
      const latest = db.selectFrom(table).select('id').orderBy('id', 'desc');
      const rows = await (maker === 'gateway' ? latest.limit(1) : latest).execute();
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
