import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { testThoroughly } from '../../test/optional-programs.ts';
import { prepareDatabasesForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { openGatewayStore } from '../store/store.ts';
import { defaultClusterTimings as paces } from './cluster-timings.ts';
import { GatewayMembership } from './gateways.ts';
import { TerminalOwnership } from './ownership.ts';

const testInCi = testThoroughly();

describe.runIf(hasPostgres())('terminals that dial a gateway', () => {
  const server = prepareDatabasesForFile();

  const opened = async () => {
    const url = await (await server()).newGatewaysUrl();
    const gateway = async (name: string) => {
      const store = await openGatewayStore({ url, clock: systemClock });
      const gateways = await GatewayMembership.register({ runtime: createRuntime(), store, name, paces });
      onTestFinished(async () => {
        await gateways.close();
        await store.close();
      });
      return { store, ownership: new TerminalOwnership(store, gateways) };
    };
    return { one: await gateway('one'), other: await gateway('other') };
  };

  test('are taken together, except one that is locked by a batch of its former owner: it alone has to wait', async () => {
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

  testInCi('belong to one gateway if they dial two at once, and the other gateway finds out', async () => {
    for (let nth = 0; nth < 10; nth++) {
      const { one, other } = await opened();
      const both = [one, other];
      expect(await Promise.all(both.map(({ ownership }) => ownership.take('a')))).toEqual(['new', 'new']);
      const lost = await Promise.all(both.map(({ ownership }) => ownership.lost('a')));
      expect(lost.filter((each) => each === undefined)).toHaveLength(1);
      const held = both.map(({ ownership, store }) => store.commit([ownership.hold('a')]));
      const applied = (await Promise.all(held)).map((outcome) => outcome.is);
      expect(applied.filter((is) => is === 'applied')).toHaveLength(1);
      expect(applied.indexOf('applied')).toBe(lost.indexOf(undefined));
    }
  });

  describe('with an outdated dial, although their link is connected to another gateway (B189)', () => {
    const later = { instance: 'A', count: 2 };
    const former = { instance: 'A', count: 1 };

    test.each(['alone', 'together with others'])('are not taken: %s', async (how) => {
      const { one, other } = await opened();
      await one.ownership.take('a', later);
      const mayEnd = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      const holding = one.store.write(async (db) => {
        if (how === 'alone') await sql`select * from terminal_owners for share`.execute(db);
        held.resolve();
        await mayEnd.promise;
      });
      await held.promise;
      const taking = other.ownership.take('a', former);
      mayEnd.resolve();
      await holding;
      expect(await taking).toBe('stale');
      expect(await one.ownership.lost('a')).toBeUndefined();
      expect(other.ownership.owns('a')).toBe(false);
    });

    test.each([
      ['the same dial', later],
      ['a later dial', { instance: 'A', count: 9_007_199_254_740_991 }],
      ['another instance', { instance: 'B', count: 1 }],
      ['a terminal that does not count', undefined],
    ])('are taken by %s', async (_what, dial) => {
      const { one, other } = await opened();
      await one.ownership.take('a', later);
      expect(await other.ownership.take('a', dial)).toBe('new');
      expect(await one.ownership.lost('a')).toEqual({ linked: true, by: dial });
    });

    test('are taken if that link is gone, or its gateway was declared dead', async () => {
      const { one, other } = await opened();
      await one.ownership.take('a', later);
      await one.ownership.unlinked('a');
      await one.ownership.take('b', later);
      expect(await other.ownership.take('a', former)).toBe('new');
      await one.store.write((db) =>
        db.updateTable('gateways').set({ ended: 1 }).where('name', '=', 'one').execute(),
      );
      expect(await other.ownership.take('b', former)).toBe('new');
    });

    test('are taken if an older release took them since, because it ignores what it does not know', async () => {
      const { one, other } = await opened();
      await one.ownership.take('a', later);
      await one.store.write((db) => sql`update terminal_owners set epoch = epoch + 1`.execute(db));
      expect(await other.ownership.take('a', former)).toBe('new');
      await one.ownership.take('b', later);
      await other.ownership.take('b', { instance: 'A', count: 3 });
      await one.store.write((db) => sql`update terminal_owners set epoch = epoch + 1`.execute(db));
      expect(await one.ownership.lost('b')).toEqual({ linked: true, by: undefined });
    });
  });

  testInCi('delay no other work of the database, however many they are', async () => {
    const { one, other } = await opened();
    const ids = Array.from({ length: 50 }, (_, nth) => `terminal ${nth}`);
    await Promise.all(ids.map((id) => one.ownership.take(id)));
    const [held, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    onTestFinished(() => mayEnd.resolve());
    const holding = one.store.write(async (db) => {
      await sql`select * from terminal_owners for share`.execute(db);
      held.resolve();
      await mayEnd.promise;
    });
    await held.promise;
    const taking = ids.map((id) => other.ownership.take(id));
    const waiting = async () => {
      const locks = sql<{ pid: number }>`select distinct pid from pg_locks where not granted
        and pid in (select pid from pg_stat_activity where datname = current_database())`;
      return (await one.store.beside((db) => locks.execute(db))).rows.length;
    };
    // Three of the pool's five connections wait for a lock.
    await vi.waitFor(async () => expect(await waiting()).toBe(3), { timeout: 30_000 });
    await other.store.beside((db) => sql`select 1`.execute(db));
    mayEnd.resolve();
    await Promise.all([holding, ...taking]);
    expect(other.ownership.owned).toHaveLength(50);
  });
});
