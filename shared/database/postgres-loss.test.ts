import { describe, expect, onTestFinished, test } from 'vitest';
import { CuttingTcpProxy } from '../../test/cutting-tcp-proxy.ts';
import { testThoroughly } from '../../test/optional-programs.ts';
import { prepareDatabasesForFile, prepareServerForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import type { PostgresServer } from '../../test/postgres-server.ts';
import { systemClock } from '../clock.ts';
import type { DatabaseChange } from './change.ts';
import { Database } from './database.ts';
import { isStorageFault } from './storage-fault.ts';
import { readThingIds, type Things, thingMigrations } from './things.fixture.ts';

const testInCi = testThoroughly();

const add = (id: number): DatabaseChange<Things> => ({ insert: 'thing', row: { id, name: 'x' } });
const notStored = expect.objectContaining({ is: 'refused', because: 'storage' });

describe.runIf(hasPostgres())('if the connection to PostgreSQL breaks off', () => {
  const server = prepareServerForFile();

  const opened = async (options: { giveUp?: (why: string) => void } = {}) => {
    const postgres = await server();
    const wire = await CuttingTcpProxy.open(postgres.port);
    const direct = await postgres.newUrl();
    const url = direct.replace(`:${postgres.port}/`, `:${wire.port}/`);
    const database = await Database.open<Things>({
      url,
      clock: systemClock,
      migrations: thingMigrations,
      ...options,
    });
    onTestFinished(async () => {
      wire.fate = () => 'arrive';
      await database.close();
      wire.close();
    });
    return { postgres, wire, direct, database };
  };
  /** Breaks the connection once, when `cut` first returns true. From then on, all data arrive. */
  const once = (
    wire: CuttingTcpProxy,
    fate: 'cut' | 'hold',
    cut: (direction: 'up' | 'down', data: Buffer) => boolean,
  ) => {
    wire.fate = (direction, data) => {
      if (!cut(direction, data)) return 'arrive';
      wire.fate = () => 'arrive';
      return fate;
    };
  };

  testInCi('after the commit and before its answer, the batch is known to be applied', async () => {
    const { wire, database } = await opened();
    once(wire, 'cut', (direction) => direction === 'down');
    const results = [database.commit([add(1)]), database.commit([add(2)])];
    expect(await Promise.all(results)).toEqual([{ is: 'applied' }, { is: 'applied' }]);
    expect(await database.commit([add(3)])).toEqual({ is: 'applied' });
    expect(await readThingIds(database)).toEqual([1, 2, 3]);
  });

  test('before the server has the batch, it is known not to be applied', async () => {
    const { wire, database } = await opened();
    once(wire, 'cut', (direction) => direction === 'up');
    expect(await database.commit([add(1)])).toEqual(notStored);
    expect(await database.commit([add(2)])).toEqual({ is: 'applied' });
    expect(await readThingIds(database)).toEqual([2]);
  });

  test('and the server cannot be asked about one batch, others are refused meanwhile', async () => {
    const { wire, database } = await opened();
    wire.fate = (direction) => {
      if (direction === 'up') return 'arrive';
      wire.fate = () => 'cut';
      return 'cut';
    };
    const unknown = database.commit([add(1)]);
    const refused = await Promise.race([unknown, waitsBehind(database)]);
    expect(refused).toEqual(notStored);
    wire.fate = () => 'arrive';
    expect(await unknown).toEqual({ is: 'applied' });
    expect(await database.commit([add(2)])).toEqual({ is: 'applied' });
    expect(await readThingIds(database)).toEqual([1, 2]);
  });

  test('a batch that arrives after it was given up changes nothing', async () => {
    const { wire, database, postgres, direct } = await opened();
    once(wire, 'hold', (direction) => direction === 'up');
    expect(await database.commit([add(1)])).toEqual(notStored);
    wire.release();
    await sessionsEnded(postgres, direct, 2);
    expect(await database.commit([add(1)])).toEqual({ is: 'applied' });
    expect(await readThingIds(database)).toEqual([1]);
  });

  test('a batch on which the server still works is waited for', async () => {
    const { wire, database, postgres, direct } = await opened();
    const blocking = await Database.open<Things>({
      url: direct,
      clock: systemClock,
      migrations: thingMigrations,
    });
    onTestFinished(() => blocking.close());
    const { promise: asked, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: held, resolve: holds } = Promise.withResolvers<void>();
    const holding = blocking.write(async (unit) => {
      await unit.insertInto('thing').values({ id: 1, name: 'held' }).execute();
      holds();
      await asked;
      throw new Error('changed its mind');
    });
    await held;
    const committing = database.commit([add(1)]);
    await waitingForLock(postgres, direct);
    wire.dropAll();
    await waitingForLock(postgres, direct, 2);
    goOn();
    await expect(holding).rejects.toThrow('changed its mind');
    expect(await committing).toEqual({ is: 'applied' });
  });

  test('a unit of work whose commit was not answered is found to be done, or not done', async () => {
    const { wire, database } = await opened();
    const unit = (id: number) =>
      database.write(async (db) => {
        await db.insertInto('thing').values({ id, name: 'x' }).execute();
        return id;
      });
    let committing = false;
    once(wire, 'cut', (direction, data) => {
      committing ||= direction === 'up' && data.includes('commit');
      return committing && direction === 'down';
    });
    expect(await unit(1)).toBe(1);
    once(wire, 'cut', (direction, data) => direction === 'up' && data.includes('commit'));
    await expect(unit(2)).rejects.toSatisfy(isStorageFault);
    expect(await readThingIds(database)).toEqual([1]);
  });

  test('nothing is stored and every call fails at once without a server, and all works when it is back', async () => {
    const { postgres, database } = await opened();
    await database.commit([add(1)]);
    await postgres.kill();
    expect(await database.commit([add(2)])).toEqual(notStored);
    await expect(readThingIds(database)).rejects.toSatisfy(isStorageFault);
    await expect(database.write((db) => db.deleteFrom('thing').execute())).rejects.toSatisfy(isStorageFault);
    await postgres.run();
    expect(await database.commit([add(3)])).toEqual({ is: 'applied' });
    expect(await readThingIds(database)).toEqual([1, 3]);
  });

  test('nothing is written in a session that another process ended, and a new session continues if it may', async () => {
    const { database, direct: url } = await opened();
    for (const fails of [
      async () => expect(await database.commit([add(1)])).toEqual(notStored),
      () =>
        expect(database.write((db) => db.deleteFrom('thing').execute())).rejects.toSatisfy(isStorageFault),
    ]) {
      await (await server()).sql('update pinpad_writers set ended = true', url);
      await fails();
      expect(await database.commit([add(2), { delete: 'thing', where: { id: 2 } }])).toEqual({
        is: 'applied',
      });
    }
    expect(await readThingIds(database)).toEqual([]);
  });

  test('a close gives up waiting before the server is back to say what happened', async () => {
    const reasons: string[] = [];
    const { postgres, wire, database } = await opened({ giveUp: (why) => reasons.push(why) });
    const { promise: killed, resolve: kill } = Promise.withResolvers<void>();
    wire.fate = (direction) => {
      if (direction === 'down') return 'arrive';
      wire.fate = () => 'cut';
      kill();
      return 'cut';
    };
    void database.commit([add(1)]);
    await killed;
    await database.close();
    expect(reasons).toEqual([expect.stringContaining('it is unknown whether')]);
    expect(await postgres.sql('select 1')).toBe('1');
  });
});

describe.runIf(hasPostgres())('several processes that open one PostgreSQL database', () => {
  const server = prepareDatabasesForFile();

  test('migrate it once, when they start at the same time', async () => {
    const url = await (await server()).newUrl();
    const open = () => Database.open<Things>({ url, clock: systemClock, migrations: thingMigrations });
    const databases = await Promise.all([open(), open(), open(), open()]);
    onTestFinished(async () => void (await Promise.all(databases.map((database) => database.close()))));
    const commits = databases.map((database, index) => database.commit([add(index)]));
    expect(await Promise.all(commits)).toEqual(databases.map(() => ({ is: 'applied' })));
    expect(await (await server()).sql('select count(*) from kysely_migration', url)).toBe('1');
  });
});

/**
 * Commits a batch in a later turn of the event loop, so that the batch is not in the same transaction as earlier
 * batches.
 */
async function waitsBehind(database: Database<Things>) {
  await new Promise((nextTurn) => setImmediate(nextTurn));
  await new Promise((nextTurn) => setImmediate(nextTurn));
  return database.commit([add(9)]);
}

/** Resolves when this many sessions of a database wait for locks. */
async function waitingForLock(postgres: PostgresServer, url: string, sessions = 1): Promise<void> {
  const waiting = `select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(() => postgres.sql(waiting, url), { timeout: 60_000 }).toBe(String(sessions));
}

/** Resolves when pinpad has at most this many sessions. */
async function sessionsEnded(postgres: PostgresServer, url: string, left: number): Promise<void> {
  const open = `select count(*) from pg_stat_activity
    where datname = current_database() and application_name = 'pinpad'`;
  await expect
    .poll(async () => Number(await postgres.sql(open, url)), { timeout: 60_000 })
    .toBeLessThanOrEqual(left);
}
