import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { prepareDatabasesForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { openGatewayStore } from '../store/store.ts';
import { makeSharedRequestCounter } from './shared-request-counter.ts';

const server = prepareDatabasesForFile();
const limit = { requests: 4, perSeconds: 3600 };

const opened = async () => {
  const postgres = await server();
  const store = await openGatewayStore({ url: await postgres.newGatewaysUrl(), clock: systemClock });
  onTestFinished(() => store.close());
  return { store, count: makeSharedRequestCounter(store) };
};

test.runIf(hasPostgres())(
  'a bucket allows a fixed number of requests, and says how long to wait for the next',
  async () => {
    const { count } = await opened();
    const waits = [];
    for (let request = 0; request < 6; request++) waits.push(await count('till', limit));
    expect(waits.slice(0, 4)).toEqual([0, 0, 0, 0]);
    for (const wait of waits.slice(4)) expect(Math.round(wait / 10)).toBe(90);
    expect(await count('other till', limit)).toBe(0);
  },
);

test.runIf(hasPostgres())(
  'a request that waits behind another is told how long, from what the other leaves in the bucket',
  async () => {
    const { store, count } = await opened();
    for (let request = 0; request < 3; request++) await count('till', limit);
    const waiting = () =>
      store.beside((db) =>
        sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%rate_limits%'`.execute(
          db,
        ),
      );
    let counted: Promise<number> | undefined;
    await store.write(async (db) => {
      await sql`update rate_limits set full_at = now() + interval '1 hour' where key = 'till'`.execute(db);
      counted = count('till', limit);
      await expect.poll(async () => (await waiting()).rows, { timeout: 20_000 }).toHaveLength(1);
    });
    expect(Math.round(((await counted) ?? 0) / 10)).toBe(90);
  },
);
