import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { makeTableBuilders } from './tables.ts';

/**
 * Stores the last number that the gateway gave to a terminal (B197), and makes it possible to search for device keys.
 */
export const terminalNumbers: Migration = {
  async up(db: Kysely<never>) {
    const { table, index } = makeTableBuilders(db);
    await table('terminal_numbers', 'name', { last: 'bigint' });
    await index('terminals_key', 'terminals', ['device_key_hash']).execute();
  },
};
