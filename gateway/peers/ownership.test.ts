import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { postgresForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { openStore } from '../store/store.ts';
import { Gateways } from './gateways.ts';
import { Ownership } from './ownership.ts';
import { usualPaces as paces } from './paces.ts';

describe.runIf(hasPostgres())('terminals that dial a gateway', () => {
  const server = postgresForFile();

  const opened = async () => {
    const url = await (await server()).newGatewaysUrl();
    const gateway = async (name: string) => {
      const store = await openStore({ url, clock: systemClock });
      const gateways = await Gateways.register({ runtime: createRuntime(), store, name, paces });
      onTestFinished(async () => {
        await gateways.close();
        await store.close();
      });
      return { store, ownership: new Ownership(store, gateways) };
    };
    return { one: await gateway('one'), other: await gateway('other') };
  };

  test('are taken together, but for one that a batch of its former owner holds: that is waited for alone', async () => {
    const { one, other } = await opened();
    for (const id of ['a', 'b', 'c']) await one.ownership.take(id);
    const [held, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = one.store.write(async (db) => {
      await sql`select * from terminal_owners where terminal_id = 'b' for share`.execute(db);
      held.resolve();
      await mayEnd.promise;
    });
    await held.promise;
    const taken: string[] = [];
    const taking = ['a', 'b', 'c'].map((id) => other.ownership.take(id).then(() => taken.push(id)));
    await Promise.all([taking[0], taking[2]]);
    expect(taken.sort()).toEqual(['a', 'c']);
    mayEnd.resolve();
    await Promise.all([holding, ...taking]);
    expect(await one.ownership.lostOf(['a', 'b', 'c'])).toHaveLength(3);
    expect(other.ownership.owned.sort()).toEqual(['a', 'b', 'c']);
  });

  test('hold nothing else up that is asked of the database, however many they are', async () => {
    const { one } = await opened();
    let taken = 0;
    const ids = Array.from({ length: 500 }, (_, nth) => `terminal ${nth}`);
    const taking = ids.map((id) => one.ownership.take(id).then(() => taken++));
    await taking[0];
    await one.store.beside((db) => sql`select 1`.execute(db));
    expect(taken).toBeLessThan(100);
    await Promise.all(taking);
    expect(one.ownership.owned).toHaveLength(500);
  });
});
