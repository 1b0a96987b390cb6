import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InFlightCounter } from '../in-flight.ts';
import { Database } from './database.ts';
import { assign, put, type UnitOfWork } from './unit-of-work.ts';

interface Schema {
  thing: { id: number; name: string };
}

const migrations: Record<string, Migration> = {
  '0001-thing': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('thing')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('name', 'text', (column) => column.notNull())
        .execute();
    },
  },
};

const add =
  (id: number, name = 'x') =>
  async (db: Kysely<Schema>) => {
    await db.insertInto('thing').values({ id, name }).execute();
    return id;
  };
const ids = async (database: Database<Schema>) =>
  (await database.read((db) => db.selectFrom('thing').select('id').orderBy('id').execute())).map(
    (row) => row.id,
  );

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each(['file', 'memory'])('a database in %s', (where) => {
  const open = (inFlight = new InFlightCounter()) =>
    Database.open<Schema>({
      file: where === 'memory' ? ':memory:' : join(folder, 'a.sqlite'),
      migrations,
      inFlight,
    });

  test('gives a write its result once it is committed', async () => {
    const database = await open();
    expect(await Promise.all([database.write(add(1)), database.write(add(2))])).toEqual([1, 2]);
    expect(await ids(database)).toEqual([1, 2]);
    await database.close();
  });

  test('undoes a write that throws, alone', async () => {
    const database = await open();
    const results = await Promise.allSettled([
      database.write(add(1)),
      database.write(async (db) => {
        await add(2)(db);
        throw new Error('changed its mind');
      }),
      database.write(add(1)),
      database.write(add(3)),
    ]);
    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(await ids(database)).toEqual([1, 3]);
    await database.close();
  });

  test('counts a write as in flight until it is committed', async () => {
    const inFlight = new InFlightCounter();
    const database = await open(inFlight);
    const writing = database.write(add(1));
    expect(inFlight.idle).toBe(false);
    await writing;
    expect(inFlight.idle).toBe(true);
    await database.close();
  });

  test('finishes what was asked for before it closes', async () => {
    const database = await open();
    const writing = database.write(add(1));
    await database.close();
    expect(await writing).toBe(1);
  });
});

describe('what a unit of work changed in memory', () => {
  const memory = { balance: 1 };
  const known = new Map<string, number>();
  beforeEach(() => {
    memory.balance = 1;
    known.clear();
    known.set('gone', 1);
  });

  /** Changes memory and the database alike. */
  const change = (balance: number) => async (unit: UnitOfWork<Schema>) => {
    assign(unit, memory, { balance });
    put(unit, known, 'new', balance);
    put(unit, known, 'gone', undefined);
    await add(balance)(unit);
  };
  const change3AndBreak = async (unit: UnitOfWork<Schema>) => {
    await change(3)(unit);
    throw new Error('changed its mind');
  };
  const before = { balance: 1, known: { gone: 1 } };
  const now = () => ({ balance: memory.balance, known: Object.fromEntries(known) });

  test('stays with its commit', async () => {
    const database = await Database.open<Schema>({ file: ':memory:', migrations });
    await database.write(change(2));
    expect(now()).toEqual({ balance: 2, known: { new: 2 } });
    await database.close();
  });

  test('is undone with it, alone, before its owner is reported', async () => {
    const database = await Database.open<Schema>({ file: ':memory:', migrations });
    const seen = database.write(change3AndBreak).catch(now);
    expect(await seen).toEqual(before);
    const results = [database.write(change(2)), database.write(change3AndBreak).catch(now)];
    expect((await Promise.all(results))[1]).toEqual({ balance: 2, known: { new: 2 } });
    await database.close();
  });

  test('is undone for all units of a commit that fails, the latest first', async () => {
    const database = await Database.open<Schema>({ file: ':memory:', migrations });
    await database.write((unit) =>
      sql`create table child (thing integer references thing (id) deferrable initially deferred)`.execute(
        unit,
      ),
    );
    const orphan = (unit: UnitOfWork<Schema>) => sql`insert into child values (99)`.execute(unit);
    const results = [database.write(change(2)), database.write(change(3)), database.write(orphan)];
    expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual(
      Array(3).fill('rejected'),
    );
    expect({ ...now(), stored: await ids(database) }).toEqual({ ...before, stored: [] });
    await database.close();
  });

  test('is undone where a full database ends the transaction of all by itself; each is informed that', async () => {
    const database = await Database.open<Schema>({ file: join(folder, 'full.sqlite'), migrations });
    await database.write((unit) => sql`pragma max_page_count = 12`.execute(unit));
    const fill = (unit: UnitOfWork<Schema>) => add(9, 'x'.repeat(100_000))(unit);
    const results = [database.write(change(2)), database.write(fill), database.write(change(3))];
    const codes = (await Promise.allSettled(results)).map((result) =>
      result.status === 'rejected' ? result.reason.code : result.status,
    );
    expect(codes).toContain('SQLITE_FULL');
    expect(codes.every((code) => code === 'SQLITE_FULL' || code === 'fulfilled')).toBe(true);
    const stored = await ids(database);
    expect(now().balance).toBe(stored.at(-1) ?? 1);
    await database.write(change(4));
    expect(now()).toEqual({ balance: 4, known: { new: 4 } });
    await database.close();
  });
});

test('a file keeps what was written and migrates only once', async () => {
  const file = join(folder, 'kept.sqlite');
  const first = await Database.open<Schema>({ file, migrations });
  await first.write(add(7, 'kept'));
  await first.close();
  const second = await Database.open<Schema>({ file, migrations });
  expect(await ids(second)).toEqual([7]);
  await second.close();
});

test('a migration that breaks off leaves nothing behind, so that the next start does it again', async () => {
  const file = join(folder, 'half.sqlite');
  const breaking: Record<string, Migration> = {
    '0001-thing': {
      async up(db: Kysely<unknown>) {
        await migrations['0001-thing']?.up(db);
        throw new Error('the power went');
      },
    },
  };
  await expect(Database.open<Schema>({ file, migrations: breaking })).rejects.toThrow('the power went');
  const next = await Database.open<Schema>({ file, migrations });
  await next.write(add(1));
  expect(await ids(next)).toEqual([1]);
  await next.close();
});

test('a database of a newer release is not opened by an older one', async () => {
  const file = join(folder, 'newer.sqlite');
  const newer = { ...migrations, '0002-more': { up: async () => {} } };
  await (await Database.open<Schema>({ file, migrations: newer })).close();
  await expect(Database.open<Schema>({ file, migrations })).rejects.toThrow('0002-more');
});
