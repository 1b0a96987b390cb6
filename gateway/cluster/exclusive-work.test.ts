import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { StartError } from '../../shared/start-error.ts';
import { isThoroughRun } from '../../test/draws.ts';
import { prepareDatabasesForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { openGatewayStore } from '../store/store.ts';
import { runExclusivelyAmongGateways } from './exclusive-work.ts';

const server = prepareDatabasesForFile();

test.runIf(hasPostgres())(
  'gateways configure a database one after the other, and none waits for ever',
  async () => {
    const url = await (await server()).newGatewaysUrl();
    const [one, other] = [
      await openGatewayStore({ url, clock: systemClock }),
      await openGatewayStore({ url, clock: systemClock }),
    ];
    onTestFinished(async () => {
      await one.close();
      await other.close();
    });
    const done: string[] = [];
    const begun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const first = runExclusivelyAmongGateways(one, async () => {
      begun.resolve();
      await mayEnd.promise;
      done.push('first');
    });
    await begun.promise;
    await expect(runExclusivelyAmongGateways(other, async () => {}, 50)).rejects.toThrow(StartError);
    const second = runExclusivelyAmongGateways(other, async () => void done.push('second'));
    mayEnd.resolve();
    await Promise.all([first, second]);
    expect(done).toEqual(['first', 'second']);
  },
);

test.runIf(hasPostgres() && isThoroughRun)(
  'a gateway that waits long for its turn asks again and again, because a silent connection counts as lost',
  async () => {
    const postgres = await server();
    const url = await postgres.newGatewaysUrl();
    const [one, other] = [
      await openGatewayStore({ url, clock: systemClock }),
      await openGatewayStore({ url, clock: systemClock }),
    ];
    onTestFinished(async () => {
      await one.close();
      await other.close();
    });
    const waitingSince = () =>
      postgres.sql(
        "select query_start from pg_stat_activity where query like '%pg_advisory_lock(%' and wait_event = 'advisory'",
        url,
      );
    const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = runExclusivelyAmongGateways(one, () => {
      begun.resolve();
      return mayEnd.promise;
    });
    await begun.promise;
    const second = runExclusivelyAmongGateways(other, async () => 'done');
    const soon = { timeout: 30_000 };
    await expect.poll(waitingSince, soon).not.toBe('');
    const since = await waitingSince();
    await expect.poll(async () => ['', since].includes(await waitingSince()), soon).toBe(false);
    mayEnd.resolve();
    await first;
    expect(await second).toBe('done');
  },
);
