import type { GatewayTables } from './schema.ts';
import type { GatewayStore } from './store.ts';

/**
 * The tables whose identifiers are made from the time. The compiler checks that the list is complete. Two kinds of
 * tables are left out: the visits of payment links, because their `id` is a hash, and tables whose rows are soon
 * deleted.
 */
type Identified = Exclude<
  {
    [Table in keyof GatewayTables]: GatewayTables[Table] extends { id: string } ? Table : never;
  }[keyof GatewayTables],
  'credit_visits' | 'delivery_notices' | 'console_ended' | 'faults' | 'aimed_faults'
>;

/**
 * Says for each table who makes the identifiers. `gateway` means that only the gateway makes them. `operator` means
 * that the operator may choose them.
 */
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
 * Gives the time (epoch ms) in the latest stored identifier. Returns undefined if no identifier contains a time. New
 * identifiers must sort after the latest one, even if the clock was set back or a virtual clock started again.
 */
export function readLatestIdentifierTime(store: GatewayStore): Promise<number | undefined> {
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

/** Gives the time in a UUID of version 7. The time is in the first 48 bits. */
function momentOf(id: string): number | undefined {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/.exec(id);
  return match ? Number.parseInt(`${match[1]}${match[2]}`, 16) : undefined;
}
