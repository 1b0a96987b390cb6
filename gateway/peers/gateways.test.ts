import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { postgresForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { openStore } from '../store/store.ts';
import { Gateways } from './gateways.ts';
import type { Paces } from './paces.ts';

describe.runIf(hasPostgres())('the gateways of a database', () => {
  const server = postgresForFile();
  const usual = { beatMs: 20, deadAfterMs: 2_000 };

  const opened = async () => {
    const postgres = await server();
    const url = postgres.newGatewaysUrl();
    const register = async (name: string, paces: Paces = usual) => {
      const store = await openStore({ url, clock: systemClock });
      const gateways = await Gateways.register({ runtime: createRuntime(), store, name, paces });
      onTestFinished(async () => {
        await gateways.close();
        await store.close();
      });
      return gateways;
    };
    const sql = (text: string) => postgres.sql(text, url);
    const living = () => sql('select name from gateways where ended = 0 order by name').split('\n');
    return { register, sql, living };
  };

  test('say that they live as long as they do, and give up one that says so no more', async () => {
    const { register, sql, living } = await opened();
    const one = await register('one');
    const other = await register('other');
    const former = other.id;
    sql("insert into gateways values ('x', 'silent', 0, 0)");
    await expect.poll(() => one.giveUpDead(), { timeout: 60_000 }).toEqual(['silent']);
    expect(await one.giveUpDead()).toEqual([]);
    expect([living(), other.id]).toEqual([['one', 'other'], former]);
  });

  test('one that was given up hears of it, and is another from then on', async () => {
    const { register, sql } = await opened();
    const one = await register('one');
    const former = one.id;
    const { promise: told, resolve } = Promise.withResolvers<void>();
    one.onGivenUp(resolve);
    sql('update gateways set ended = 1');
    await told;
    expect(one.id).not.toBe(former);
    expect(sql('select id from gateways where ended = 0')).toBe(one.id);
  });

  test('one that ends is gone at once', async () => {
    const { register, sql } = await opened();
    await (await register('one')).close();
    expect(sql('select count(*) from gateways')).toBe('0');
  });

  test('one that was itself without the database gives up nobody: after an outage all seem dead', async () => {
    const { register, sql } = await opened();
    const one = await register('one');
    sql("insert into gateways values ('x', 'silent', 0, 0)");
    expect(await one.giveUpDead()).toEqual([]);
  });

  test('one that stood still for half as long as makes others dead gives up nobody until it has been steady again', async () => {
    const { register, sql } = await opened();
    const one = await register('one', { beatMs: 20, deadAfterMs: 4_000 });
    sql("insert into gateways values ('x', 'silent', 0, 0)");
    await expect.poll(() => one.giveUpDead(), { timeout: 60_000 }).toEqual(['silent']);
    sql("insert into gateways values ('y', 'silent, too', 0, 0)");
    sql('select pg_sleep(2.5)'); // in this process all waits for it
    expect(await one.giveUpDead()).toEqual([]); // it has not said since that it lives
    const seen = () => sql("select seen_at from gateways where name = 'one'");
    for (const _beat of [1, 2]) {
      const before = seen();
      await expect.poll(seen).not.toBe(before);
    }
    expect(await one.giveUpDead()).toEqual([]); // others may have stood still with it, and come back later
  });

  test('one that has not said yet that it lives itself gives up nobody', async () => {
    const { register, sql } = await opened();
    const one = await register('one', { beatMs: 1_000_000, deadAfterMs: 0 });
    sql("insert into gateways values ('x', 'silent', 0, 0)");
    expect(await one.giveUpDead()).toEqual([]);
  });
});
