import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { prepareDatabasesForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { openGatewayStore } from '../store/store.ts';
import type { ClusterTimings } from './cluster-timings.ts';
import { GatewayMembership } from './gateways.ts';

describe.runIf(hasPostgres())('the gateways of a database', () => {
  const server = prepareDatabasesForFile();
  const usual = { beatMs: 1_000, deadAfterMs: 60_000 };

  /** Opens gateways whose timers follow a clock that the test moves. The database's clock runs in real time. */
  const opened = async () => {
    const postgres = await server();
    const url = await postgres.newGatewaysUrl();
    const clock = new VirtualClock({ startMs: 0 });
    const { inFlight } = clock;
    const register = async (name: string, paces: ClusterTimings = usual) => {
      const store = await openGatewayStore({ url, clock: systemClock, inFlight });
      const runtime = { ...createRuntime(), realClock: clock };
      const gateways = await GatewayMembership.register({ runtime, store, name, paces });
      onTestFinished(async () => {
        await gateways.close();
        await store.close();
      });
      return gateways;
    };
    const sql = (text: string) => postgres.sql(text, url);
    const living = async () =>
      (await sql('select name from gateways where ended = 0 order by name')).split('\n');
    /** Sets the times in the database back by this many ms, as if the gateways had stored everything earlier. */
    const age = (ms: number) => sql(`update gateways set seen_at = seen_at - ${ms}`);
    return { register, sql, living, clock, age };
  };

  test('announce themselves while they live, and declare one dead that stops doing so', async () => {
    const { register, sql, living, clock, age } = await opened();
    const one = await register('one');
    const other = await register('other');
    const former = other.id;
    await sql("insert into gateways values ('x', 'silent', 0, 0)");
    await clock.advance(usual.deadAfterMs);
    await age(2 * usual.deadAfterMs);
    await clock.advance(usual.beatMs);
    expect(await one.giveUpDead()).toEqual(['silent']);
    expect(await one.giveUpDead()).toEqual([]);
    expect([await living(), other.id]).toEqual([['one', 'other'], former]);
  });

  test('tell a gateway that it was declared dead, and it gets a new identity', async () => {
    const { register, sql, clock } = await opened();
    const one = await register('one');
    const former = one.id;
    let told = 0;
    one.onGivenUp(() => told++);
    await sql('update gateways set ended = 1');
    await clock.advance(usual.beatMs);
    expect(told).toBe(1);
    expect(one.id).not.toBe(former);
    expect(await sql('select id from gateways where ended = 0')).toBe(one.id);
  });

  test('forget a gateway at once if it shuts down', async () => {
    const { register, sql } = await opened();
    await (await register('one')).close();
    expect(await sql('select count(*) from gateways')).toBe('0');
  });

  test('do not declare others dead after an outage of the database, in which all seem dead', async () => {
    const { register, sql } = await opened();
    const one = await register('one');
    await sql("insert into gateways values ('x', 'silent', 0, 0)");
    expect(await one.giveUpDead()).toEqual([]);
  });

  test('do not let a gateway that stood still declare others dead until it has run steadily again', async () => {
    const { register, sql, clock, age } = await opened();
    const one = await register('one');
    const { beatMs, deadAfterMs } = usual;
    await sql("insert into gateways values ('x', 'silent', 0, 0)");
    await clock.advance(deadAfterMs);
    expect(await one.giveUpDead()).toEqual(['silent']);
    await sql("insert into gateways values ('y', 'silent, too', 0, 0)");
    const stoodStillMs = deadAfterMs / 2 + beatMs;
    // The clock jumps and no timer runs, as if the process had been paused.
    clock.startAt(clock.monotonic() + stoodStillMs);
    await age(stoodStillMs);
    expect(await one.giveUpDead()).toEqual([]); // this gateway was paused itself, and has not stored a heartbeat since
    await clock.advance(2 * beatMs);
    expect(await one.giveUpDead()).toEqual([]); // the other gateways may have been paused too, and may come back later
    await clock.advance(deadAfterMs);
    expect(await one.giveUpDead()).toEqual(['silent, too']);
  });

  test('do not let a gateway declare others dead before it has announced itself', async () => {
    const { register, sql } = await opened();
    const one = await register('one', { beatMs: 1_000_000, deadAfterMs: 0 });
    await sql("insert into gateways values ('x', 'silent', 0, 0)");
    expect(await one.giveUpDead()).toEqual([]);
  });
});
