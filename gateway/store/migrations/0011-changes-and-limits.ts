import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from './tables.ts';

/** The tables whose rows gateways keep in memory, each with the name of its key column. */
const kept = {
  accounts: 'id',
  tokens: 'id',
  stores: 'id',
  terminals: 'id',
  outcomes: 'subject',
  webhooks: 'id',
  contacts: 'id',
  credit_cards: 'id',
  bank_accounts: 'id',
};

/**
 * Lets several gateways share a database. The table `changes` tells each gateway which rows another gateway has
 * changed. With the table `rate_limits`, the gateways together count the requests of each API token. The table
 * `rate_limits` is unlogged, so PostgreSQL writes no log for it. An SQLite file has only one gateway, and gets neither
 * table.
 */
export const sharedChangesAndRateLimits: Migration = {
  async up(db: Kysely<never>) {
    if (!isPostgres(db)) return;
    await sql`
      create table changes (
        table_name text not null,
        row_id text not null,
        transaction_id xid8 not null default pg_current_xact_id(),
        changed_at timestamptz not null default now()
      )`.execute(db);
    await sql`create index changes_transaction on changes (transaction_id)`.execute(db);
    await sql`
      create function pinpad_note_change() returns trigger language plpgsql as $$
      declare
        row_now jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
      begin
        insert into changes (table_name, row_id) values (tg_table_name, row_now ->> tg_argv[0]);
        return null;
      end $$`.execute(db);
    for (const [table, key] of Object.entries(kept))
      await sql`
        create trigger note_change after insert or update or delete on ${sql.table(table)}
        for each row execute function pinpad_note_change(${sql.lit(key)})`.execute(db);
    await sql`create unlogged table rate_limits (key text primary key, full_at timestamptz not null)`.execute(
      db,
    );
  },
};
