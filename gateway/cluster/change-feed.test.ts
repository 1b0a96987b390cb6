import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { Database } from '../../shared/database/database.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { prepareDatabasesForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import type { PresetOutcomeRow } from '../store/rows/acquirer.ts';
import type { GatewayTables } from '../store/schema.ts';
import { gatewayMigrations } from '../store/store.ts';
import { ClusterChangeReader } from './change-feed.ts';
import { type ChangePosition, dropOldChanges, readCurrentPosition } from './change-reader.ts';

const row = (subject: string, outcome = 'approve'): PresetOutcomeRow => ({
  subject,
  scope: 'terminal',
  mode: 'always',
  outcome,
  set_at: 0,
});

describe.runIf(hasPostgres())('the change feed', () => {
  const server = prepareDatabasesForFile();

  /**
   * Opens a change feed for a gateway that keeps outcomes in memory. A second connection changes the outcomes in the
   * database, as other gateways would.
   */
  async function setup(from?: ChangePosition) {
    const url = await (await server()).newGatewaysUrl();
    const runtime = createRuntime({ clock: 'virtual' });
    const { inFlight, clock, journal } = runtime;
    const store = await Database.open<GatewayTables>({
      url,
      clock: systemClock,
      migrations: gatewayMigrations,
      inFlight,
    });
    const memory = new Map<string, string>();
    const installed: string[] = [];
    const feed = await ClusterChangeReader.open(
      { runtime: { ...runtime, realClock: clock }, store, everyMs: 1_000 },
      from,
    );
    feed.keep('outcomes', {
      known: () => memory.keys(),
      install(key, now) {
        if (now?.outcome === 'unknown') throw new Error('what is that?');
        installed.push(key);
        if (now) memory.set(key, now.outcome);
        else memory.delete(key);
      },
    });
    onTestFinished(async () => {
      await feed.stop();
      await store.close();
    });
    const other = async () => {
      const client = new pg.Client(url);
      client.on('error', () => {});
      await client.connect();
      onTestFinished(() => client.end());
      return client;
    };
    return { url, store, feed, memory, installed, other, clock: clock as VirtualClock, journal };
  }

  const insert = (subject: string) =>
    `insert into outcomes (subject, scope, mode, outcome, set_at) values ('${subject}', 'terminal', 'always', 'approve', 0)`;

  test('brings memory up to date each second with what other gateways stored, changed and deleted', async () => {
    const { memory, other, clock } = await setup();
    const client = await other();
    await client.query(`${insert('one')}; ${insert('two')}`);
    await clock.advance(1_000);
    expect(memory).toEqual(new Map([['one', 'approve'], ['two', 'approve']])); // biome-ignore format: a line
    await client.query(
      "update outcomes set outcome = 'decline' where subject = 'one'; delete from outcomes where subject = 'two'",
    );
    await clock.advance(1_000);
    expect(memory).toEqual(new Map([['one', 'decline']]));
  });

  test('misses no change that began before a reading and was committed after it, and waits for no transaction', async () => {
    const { feed, installed, other } = await setup();
    const [slow, quick] = [await other(), await other()];
    await slow.query(`begin; ${insert('began first')}`);
    await quick.query(insert('began second'));
    await feed.current();
    expect(installed).toEqual(['began second']);
    await quick.query(insert('third'));
    await feed.current();
    await slow.query('commit');
    await feed.current();
    await feed.current();
    expect(installed).toEqual(['began second', 'third', 'began first']);
  });

  test('answers a request with data at least as new as the request, even if a reading is already under way', async () => {
    const { feed, memory, other } = await setup();
    const client = await other();
    const asked: Promise<void>[] = [feed.current()];
    for (const subject of ['one', 'two', 'three']) {
      await client.query(insert(subject));
      const current = feed.current().then(() => expect(memory.has(subject)).toBe(true));
      asked.push(current);
    }
    await Promise.all(asked);
  });

  test('does not undo what this gateway changed during a reading, and reads that again the next time', async () => {
    const { store, feed, memory, installed, other } = await setup();
    const client = await other();
    await client.query(insert('both'));
    const reading = feed.current();
    await store.commit([{ update: 'outcomes', where: { subject: 'both' }, set: { outcome: 'mine' } }]);
    memory.set('both', 'mine');
    feed.changed('outcomes', 'both');
    await reading;
    expect(memory.get('both')).toBe('mine');
    await client.query("update outcomes set outcome = 'theirs'");
    await feed.current();
    expect(memory.get('both')).toBe('theirs');
    // This gateway has already read the other gateway's change. It puts its own earlier change into memory only now.
    memory.set('both', 'mine');
    feed.changed('outcomes', 'both');
    await feed.current();
    expect(memory.get('both')).toBe('theirs');
    installed.length = 0;
    await feed.current();
    expect(installed).toEqual([]);
  });

  test.each([
    [
      'was away for long',
      async (store: Database<GatewayTables>) => ({ ...(await readCurrentPosition(store)), at: '2020-01-01' }),
    ],
    ['finds the database put back', async () => ({ snapshot: '900000:900000:', at: '2999-01-01' })],
  ])('reads everything again in a gateway that %s', async (_, positionOf) => {
    const { url, store } = await setup();
    await store.commit([{ insert: 'outcomes', row: row('there') }]);
    await store.write((db) => db.deleteFrom('changes' as never).execute());
    const memory = new Map([['gone', 'approve']]);
    const runtime = createRuntime({ clock: 'virtual' });
    const feed = await ClusterChangeReader.open({ runtime, store, everyMs: 1_000 }, await positionOf(store));
    onTestFinished(() => feed.stop());
    feed.keep('outcomes', {
      known: () => memory.keys(),
      install: (key, now) => void (now ? memory.set(key, now.outcome) : memory.delete(key)),
    });
    await feed.current();
    expect([...memory.keys()], url).toEqual(['there']);
  });

  test('takes over all other rows if one row cannot be understood', async () => {
    const { feed, installed, other, journal } = await setup();
    const client = await other();
    await client.query(
      `${insert('a newer release’s')}; update outcomes set outcome = 'unknown'; ${insert('ours')}`,
    );
    await feed.current();
    expect(installed).toEqual(['ours']);
    expect(journal.since().filter(({ kind }) => kind === 'warning')).toHaveLength(1);
  });

  test('catches up with the missed changes after its connection broke off', async () => {
    const { feed, store, installed, other } = await setup();
    const client = await other();
    await store.read((db) => db.selectFrom('outcomes').selectAll().execute());
    await client.query(insert('one'));
    const broken = feed.current().catch(() => {});
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await broken;
    // Several connections of the pool are broken. Each broken connection makes one reading fail, so the test reads
    // again until one reading succeeds.
    while (installed.length === 0) await feed.current().catch(() => {});
    expect(installed).toEqual(['one']);
  });

  test('delivers many changes completely, and drops old ones', async () => {
    const { feed, store, memory, other } = await setup();
    const client = await other();
    await client.query(
      "insert into outcomes select 'terminal ' || number, 'terminal', 'always', 'approve', 0 from generate_series(1, 2500) as number",
    );
    await feed.current();
    expect(memory.size).toBe(2500);
    await client.query(
      "update changes set changed_at = now() - interval '2 hours' where row_id <> 'terminal 7'",
    );
    await dropOldChanges(store);
    const { rows } = await client.query('select row_id from changes');
    expect(rows).toEqual([{ row_id: 'terminal 7' }]);
  });

  test('reports old changes that cannot be deleted, and still brings memory up to date', async () => {
    const { feed, memory, other, clock, journal } = await setup();
    const client = await other();
    await client.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create trigger refuses before delete on changes for each statement execute function refuse();
      ${insert('one')}`);
    await clock.advance(10 * 60_000);
    await feed.current();
    expect(memory).toEqual(new Map([['one', 'approve']]));
    expect(journal.since().map(({ data }) => data)).toEqual([
      { message: expect.stringContaining('old changes could not be deleted: ') },
    ]);
  });
});
