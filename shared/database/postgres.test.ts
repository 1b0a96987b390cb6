import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { prepareDatabasesForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { systemClock } from '../clock.ts';
import { testCommitContract } from './commit-contract.fixture.ts';
import { Database } from './database.ts';

interface Schema {
  things: { name: string; maker: string };
}

const migrations = {
  '0001-things': {
    async up(db: Kysely<never>) {
      await sql`create table things (name text primary key, maker text)`.execute(db);
    },
  },
};

/** Inserts a thing. If the thing is there already, returns the name of the process that inserted it. */
const making = (name: string) => async (db: Kysely<Schema>) => {
  const former = await db.selectFrom('things').selectAll().where('name', '=', name).executeTakeFirst();
  if (!former) await db.insertInto('things').values({ name, maker: 'this one' }).execute();
  return former?.maker ?? 'this one';
};

describe.runIf(hasPostgres())('PostgreSQL', () => {
  const server = prepareDatabasesForFile();

  testCommitContract(async (options) =>
    Database.open({ ...options, url: await (await server()).newUrl(), clock: systemClock }),
  );

  test('a unit of work that another process overtakes is repeated on what that stored', async () => {
    const url = await (await server()).newUrl();
    const database = await Database.open<Schema>({ url, clock: systemClock, migrations });
    onTestFinished(() => database.close());
    const other = new pg.Client(url);
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("begin; insert into things values ('both', 'the other')");
    const made = ['both', 'only here'].map((name) => database.write(making(name)));
    await waiting(other);
    await other.query('commit');
    expect(await Promise.all(made)).toEqual(['the other', 'this one']);
  });

  test('a null character, which a terminal may have sent, is stored as U+FFFD', async () => {
    const url = await (await server()).newUrl();
    const database = await Database.open<Schema>({ url, clock: systemClock, migrations });
    onTestFinished(() => database.close());
    const row = (name: string) => ({ name, maker: 'left\0 and right\0' });
    const inserted = await database.commit([{ insert: 'things', row: row('in a batch') }]);
    expect(inserted).toEqual({ is: 'applied' });
    await database.write((db) => db.insertInto('things').values(row('by a unit of work')).execute());
    const rows = await database.read((db) => db.selectFrom('things').selectAll().orderBy('name').execute());
    expect(rows).toEqual([
      { name: 'by a unit of work', maker: 'left\ufffd and right\ufffd' },
      { name: 'in a batch', maker: 'left\ufffd and right\ufffd' },
    ]);
  });

  test('a unit of work that breaks a rule again and again fails with it', async () => {
    const url = await (await server()).newUrl();
    const database = await Database.open<Schema>({ url, clock: systemClock, migrations });
    onTestFinished(() => database.close());
    const twice = [0, 1].map(() => ({ name: 'twice', maker: '' }));
    const work = (db: Kysely<Schema>) => db.insertInto('things').values(twice).execute();
    await expect(database.write(work)).rejects.toMatchObject({ code: '23505' });
  });
});

/**
 * Resolves when another connection waits for a lock. That connection waits for a row that the connection of `client`
 * has changed.
 */
async function waiting(client: pg.Client): Promise<void> {
  const text = `select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await client.query(text)).rows[0].waiting === 0);
}
