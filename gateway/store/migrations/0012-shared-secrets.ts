import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { makeTableBuilders } from './tables.ts';

/** Stores the tokens and keys that a gateway made, so that all gateways of the database use the same ones. */
export const sharedSecrets: Migration = {
  async up(db: Kysely<never>) {
    const { table } = makeTableBuilders(db);
    await table('shared_secrets', 'name', { secret: 'text' });
  },
};
