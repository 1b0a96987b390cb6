import { EventEmitter } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { prepareDatabasesForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { until } from '../../test/until.ts';
import { type GatewayStore, openGatewayStore } from '../store/store.ts';
import type { HintHandler } from './hints/hints.ts';
import type { Lease } from './lease.ts';
import { LeaseManager } from './leases.ts';

const inAnHour = 'expires_at + 3600000';

describe.runIf(hasPostgres())('leases', () => {
  const server = prepareDatabasesForFile();
  const paces = { beatMs: 3_600_000, deadAfterMs: 3_600_000 };

  async function setup() {
    const database = await server();
    const url = await database.newGatewaysUrl();
    const store = await openGatewayStore({ url, clock: systemClock });
    onTestFinished(() => store.close());
    const leases: LeaseManager[] = [];
    const heard = new EventEmitter();
    /** Passes messages between the gateways of the test, in place of NATS. */
    const hints = {
      publish: (subject: string) => void heard.emit(subject),
      subscribe: (subject: string, handler: HintHandler) => {
        // The hint carries no data, so the handler gets no data.
        heard.on(subject, handler);
        return () => void heard.off(subject, handler);
      },
    };
    onTestFinished(async () => {
      for (const each of leases) await each.close();
    });
    /** Opens a gateway with its own monotonic clock. The test can make the gateway's store fail. */
    const gateway = (id: string) => {
      const now = { ms: 1_000, failing: undefined as Error | undefined };
      const journal = createRuntime().journal;
      const realClock = { ...systemClock, monotonic: () => now.ms };
      const beside: GatewayStore['beside'] = (work) =>
        now.failing ? Promise.reject(now.failing) : store.beside(work);
      const failing = new Proxy(store, {
        get: (of, name) => (name === 'beside' ? beside : Reflect.get(of, name).bind(of)),
      });
      const runtime = { realClock, journal };
      const own = new LeaseManager({ runtime, store: failing, paces, gateways: { id }, hints });
      leases.push(own);
      const did: string[] = [];
      const work = { sweep: async () => void did.push('sweep'), forget: () => void did.push('forget') };
      return { leases: own, lease: own.share('deliveries', 20_000, work), did, now, journal };
    };
    /** Makes every lease end, as if the database's clock had passed the end of each lease. */
    const runOut = (at = '1') => database.sql(`update leases set expires_at = ${at}`, url);
    const commits = async (lease: Lease) => (await store.commit([lease.held()])).is;
    return { gateway, runOut, commits };
  }

  test('are held by one of many gateways, which looks for work each time', async () => {
    const { gateway } = await setup();
    const [one, other] = [gateway('one'), gateway('other')];
    for (const each of [one, other, one, other]) await each.leases.askNow();
    expect([one.lease.token, other.lease.token]).toEqual([1, undefined]);
    expect([one.did, other.did]).toEqual([['sweep', 'sweep'], []]);
  });

  test('go to another gateway if they run out by the database clock, and batches under the former lease are refused', async () => {
    const { gateway, runOut, commits } = await setup();
    const [one, other] = [gateway('one'), gateway('other')];
    await one.leases.askNow();
    expect(await commits(one.lease)).toBe('applied');
    await runOut();
    expect(await commits(one.lease)).toBe('applied'); // the lease has ended, but no other gateway has taken the lease
    await other.leases.askNow();
    expect(other.lease.token).toBe(2);
    expect([await commits(one.lease), await commits(other.lease)]).toEqual(['refused', 'applied']);
    await one.leases.askNow();
    expect(one.lease.token).toBeUndefined();
    expect(one.did).toEqual(['sweep', 'forget']);
    expect(await commits(one.lease)).toBe('refused');
  });

  test('go to another gateway if they date from before the database clock was set back', async () => {
    const { gateway, runOut } = await setup();
    const [one, other] = [gateway('one'), gateway('other')];
    await one.leases.askNow();
    await runOut(inAnHour);
    await other.leases.askNow();
    expect(other.lease.token).toBe(2);
  });

  test('count as lost at once for a gateway that stood still', async () => {
    const { gateway } = await setup();
    const one = gateway('one');
    await one.leases.askNow();
    one.now.ms += 19_999;
    expect([one.lease.leftMs, one.lease.token]).toEqual([1, 1]);
    one.now.ms += 1;
    expect([one.lease.leftMs, one.lease.token]).toEqual([0, undefined]);
    await one.lease.sweep();
    expect(one.did).toEqual(['sweep']);
    await one.leases.askNow(); // no other gateway has taken the lease in the meantime
    expect(one.lease.token).toBe(1);
    expect(one.did).toEqual(['sweep', 'sweep']);
  });

  test('are given up, with one warning, if they run out and cannot be renewed', async () => {
    const { gateway } = await setup();
    const one = gateway('one');
    await one.leases.askNow();
    one.now.failing = new Error('no such table');
    for (let second = 0; second < 19; second++) {
      one.now.ms += 1_000;
      await one.leases.askNow();
    }
    expect(one.did).not.toContain('forget');
    one.now.ms += 1_000;
    await one.leases.askNow();
    expect(one.did.at(-1)).toBe('forget');
    expect(one.journal.since().map(({ data }) => data)).toEqual([
      { message: 'the leases of this gateway could not be renewed: no such table' },
    ]);
  });

  test('whose work fails are reported once until the work succeeds, with the name of the work', async () => {
    const { gateway } = await setup();
    const one = gateway('one');
    const work = { failing: true };
    one.leases.share('refunds', 20_000, {
      sweep: () => (work.failing ? Promise.reject(new Error('no such column')) : Promise.resolve()),
      forget: () => {},
    });
    const messages = () => one.journal.since().map(({ data }) => data);
    for (let round = 0; round < 3; round++) await one.leases.askNow();
    const message = 'the due work of refunds could not be read: no such column';
    expect(messages()).toEqual([{ message }]);
    work.failing = false;
    await one.leases.askNow();
    work.failing = true;
    await one.leases.askNow();
    expect(messages()).toEqual([{ message }, { message }]);
  });

  test('leave it to the store to report that the database is gone', async () => {
    const { gateway } = await setup();
    const one = gateway('one');
    one.now.failing = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    await one.leases.askNow();
    expect(one.journal.since()).toEqual([]);
  });

  test('make their holder look for work if any gateway says that there is some', async () => {
    const { gateway } = await setup();
    const [one, other] = [gateway('one'), gateway('other')];
    await one.leases.askNow();
    other.lease.tell();
    await one.lease.swept;
    one.lease.tell();
    await one.lease.swept;
    expect([one.did.length, other.did.length]).toEqual([3, 0]);
  });

  test('go to the next gateway at once if their holder closes', async () => {
    const { gateway } = await setup();
    const [one, other] = [gateway('one'), gateway('other')];
    await one.leases.askNow();
    await one.leases.close();
    await other.leases.askNow();
    expect([one.did, other.lease.token]).toEqual([['sweep', 'forget'], 2]);
  });

  test('make another sweep after the current one if one is requested meanwhile', async () => {
    const { gateway } = await setup();
    const { leases } = gateway('one');
    const did: string[] = [];
    let end = () => {};
    const work = {
      sweep: () => {
        did.push('begins');
        return new Promise<void>((resolve) => {
          end = resolve;
        });
      },
      forget: () => {},
    };
    const lease = leases.share('refunds', 5_000, work);
    const looking = leases.askNow();
    await until('the first sweep begins', () => did.length > 0);
    const asked = [lease.sweep(), lease.sweep()];
    end();
    await until('the second sweep begins', () => did.length > 1);
    end();
    await Promise.all([...asked, looking]);
    expect(did).toEqual(['begins', 'begins']);
  });
});
