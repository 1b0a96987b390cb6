import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InFlightCounter } from '../in-flight.ts';
import { DataMissingError } from './data-missing.ts';
import { Database } from './database.ts';
import { readThingIds, type Things, thingMigrations } from './things.fixture.ts';

const add =
  (id: number, name = 'x') =>
  async (db: Kysely<Things>) => {
    await db.insertInto('thing').values({ id, name }).execute();
    return id;
  };

const thing = (id: number) => ({ insert: 'thing', row: { id, name: 'x' } }) as const;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each(['file', 'memory'])('a database in %s', (where) => {
  const open = (inFlight = new InFlightCounter()) =>
    Database.open<Things>({
      file: where === 'memory' ? ':memory:' : join(folder, 'a.sqlite'),
      migrations: thingMigrations,
      inFlight,
    });

  test('gives the result of a write once it is committed', async () => {
    const database = await open();
    expect(await Promise.all([database.write(add(1)), database.write(add(2))])).toEqual([1, 2]);
    expect(await readThingIds(database)).toEqual([1, 2]);
    await database.close();
  });

  test('rolls back a write that throws, and no other', async () => {
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
    expect(await readThingIds(database)).toEqual([1, 3]);
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

  test('stores much of one turn before the turn ends, and little of it afterwards', async () => {
    const database = await open();
    const ends: string[] = [];
    const many = (first: number, number: number) =>
      Promise.all(Array.from({ length: number }, (_, at) => database.commit([thing(first + at)])));
    for (const [first, number] of [
      [1, 31],
      [101, 33],
    ] as const) {
      setImmediate(() => ends.push('turn'));
      await many(first, number).then(() => ends.push(`${number} writes`));
      await new Promise(setImmediate);
    }
    expect(ends).toEqual(['turn', '31 writes', '33 writes', 'turn']);
    await database.close();
  });

  test('finishes all requested work before it closes', async () => {
    const database = await open();
    const writing = database.write(add(1));
    await database.close();
    expect(await writing).toBe(1);
  });
});

test('databases in memory that are copies of each other share no rows, and each enforces its rules', async () => {
  const fresh = [
    'create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)',
    'create table kysely_migration_lock (id varchar(255) primary key, is_locked integer not null)',
    'create table thing (id integer primary key, name text not null)',
  ];
  const open = () => Database.open<Things>({ file: ':memory:', migrations: thingMigrations, fresh });
  const first = await open();
  await first.write(add(1));
  const second = await open();
  await second.write(add(2));
  const third = await open();
  await expect(second.write(add(2))).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' });
  expect(await Promise.all([first, second, third].map(readThingIds))).toEqual([[1], [2], []]);
  for (const database of [first, second, third]) await database.close();
});

test.each([':memory:', 'file'] as const)(
  'a database in %s counts as new until something is stored, and a file never does',
  async (where) => {
    const file = where === 'file' ? join(folder, 'new.sqlite') : where;
    const database = await Database.open<Things>({ file, migrations: thingMigrations });
    await readThingIds(database);
    expect(database.isNew).toBe(where === ':memory:');
    await database.write(add(1));
    expect(database.isNew).toBe(false);
    await database.close();
  },
);

test('all units of work are rolled back if their commit fails', async () => {
  const database = await Database.open<Things>({ file: ':memory:', migrations: thingMigrations });
  await database.write((unit) =>
    sql`create table child (thing integer references thing (id) deferrable initially deferred)`.execute(unit),
  );
  const orphan = (unit: Kysely<Things>) => sql`insert into child values (99)`.execute(unit);
  const results = [database.write(add(2)), database.write(add(3)), database.write(orphan)];
  expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  expect(await readThingIds(database)).toEqual([]);
  await database.close();
});

test('if a full database ends the transaction of all units by itself, each unit gets the error', async () => {
  const database = await Database.open<Things>({
    file: join(folder, 'full.sqlite'),
    migrations: thingMigrations,
  });
  await database.write((unit) => sql`pragma max_page_count = 12`.execute(unit));
  const results = [
    database.write(add(2)),
    database.write(add(9, 'x'.repeat(100_000))),
    database.write(add(3)),
  ];
  const settled = await Promise.allSettled(results);
  const codes = settled.map((result) => (result.status === 'rejected' ? result.reason.code : result.value));
  expect(codes).toContain('SQLITE_FULL');
  expect(await readThingIds(database)).toEqual(codes.filter((code) => code !== 'SQLITE_FULL'));
  await database.write(add(4));
  expect((await readThingIds(database)).at(-1)).toBe(4);
  await database.close();
});

test('a file keeps its rows and is migrated only once', async () => {
  const file = join(folder, 'kept.sqlite');
  const first = await Database.open<Things>({ file, migrations: thingMigrations });
  await first.write(add(7, 'kept'));
  await first.close();
  const second = await Database.open<Things>({ file, migrations: thingMigrations });
  expect(await readThingIds(second)).toEqual([7]);
  await second.close();
});

test('a migration that fails leaves nothing behind, so that the next start repeats it', async () => {
  const file = join(folder, 'half.sqlite');
  const breaking: Record<string, Migration> = {
    '0001-thing': {
      async up(db: Kysely<unknown>) {
        await thingMigrations['0001-thing']?.up(db);
        throw new Error('the power went');
      },
    },
  };
  await expect(Database.open<Things>({ file, migrations: breaking })).rejects.toThrow('the power went');
  const next = await Database.open<Things>({ file, migrations: thingMigrations });
  await next.write(add(1));
  expect(await readThingIds(next)).toEqual([1]);
  await next.close();
});

test('a database of a newer release is not opened by an older one', async () => {
  const file = join(folder, 'newer.sqlite');
  const newer = { ...thingMigrations, '0002-more': { up: async () => {} } };
  await (await Database.open<Things>({ file, migrations: newer })).close();
  await expect(Database.open<Things>({ file, migrations: thingMigrations })).rejects.toThrow('0002-more');
});

test('a newer release lists the older releases that may run beside it', async () => {
  const file = join(folder, 'beside.sqlite');
  const newer = { ...thingMigrations, '0002-more@0001': { up: async () => {} } };
  await (await Database.open<Things>({ file, migrations: newer })).close();
  const older = await Database.open<Things>({ file, migrations: thingMigrations });
  await older.write(add(1));
  expect(await readThingIds(older)).toEqual([1]);
  await older.close();
  const newest = { ...newer, '0003-less@0002': { up: async () => {} } };
  await (await Database.open<Things>({ file, migrations: newest })).close();
  await (await Database.open<Things>({ file, migrations: newer })).close();
  await expect(Database.open<Things>({ file, migrations: thingMigrations })).rejects.toThrow(
    '0003-less@0002',
  );
});

/**
 * The statements for a new database, and one extra statement that inserts a row. The row shows that the schema was made
 * by these statements and not by the migrations.
 */
const fresh = [
  'CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null)',
  'CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null)',
  'CREATE TABLE "thing" ("id" integer primary key, "name" text not null)',
  `INSERT INTO "thing" VALUES (1, 'fresh')`,
];

test('a new database gets its whole schema at once, and accepts the migrations of later releases', async () => {
  const file = join(folder, 'fresh.sqlite');
  const first = await Database.open<Things>({ file, migrations: thingMigrations, fresh });
  expect(await readThingIds(first)).toEqual([1]);
  await first.close();
  const more: Record<string, Migration> = {
    ...thingMigrations,
    '0002-more': {
      up: (db: Kysely<unknown>) => sql`insert into thing values (2, 'more')`.execute(db).then(() => {}),
    },
  };
  const second = await Database.open<Things>({ file, migrations: more, fresh });
  expect(await readThingIds(second)).toEqual([1, 2]);
  await second.close();
});

test('a new database whose schema fails is still new the next time', async () => {
  const file = join(folder, 'half-fresh.sqlite');
  const broken = [...fresh, 'CREATE TABLE'];
  await expect(Database.open<Things>({ file, migrations: thingMigrations, fresh: broken })).rejects.toThrow();
  const next = await Database.open<Things>({ file, migrations: thingMigrations, fresh });
  expect(await readThingIds(next)).toEqual([1]);
  await next.close();
});

test('a file that held data and is empty now is refused, even without statements for a new database', async () => {
  const file = join(folder, 'emptied.sqlite');
  const emptied = await Database.open<Things>({ file, migrations: {} });
  await emptied.write((db) => sql`create table one (x)`.execute(db));
  await emptied.write((db) => sql`drop table one`.execute(db));
  await emptied.close();
  await expect(Database.open<Things>({ file, migrations: thingMigrations, mustHold: true })).rejects.toThrow(
    DataMissingError,
  );
  await (await Database.open<Things>({ file, migrations: thingMigrations })).close();
});
