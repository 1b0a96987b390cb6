import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { StartError } from '../../shared/start-error.ts';
import { postgresForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { openStore } from '../store/store.ts';
import { aloneAmongGateways } from './alone.ts';

const server = postgresForFile();

test.runIf(hasPostgres())(
  'one after the other brings a database to its configuration, and none waits for ever',
  async () => {
    const url = (await server()).newUrl();
    const [one, other] = [
      await openStore({ url, clock: systemClock }),
      await openStore({ url, clock: systemClock }),
    ];
    onTestFinished(async () => {
      await one.close();
      await other.close();
    });
    const done: string[] = [];
    const begun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const first = aloneAmongGateways(one, async () => {
      begun.resolve();
      await mayEnd.promise;
      done.push('first');
    });
    await begun.promise;
    await expect(aloneAmongGateways(other, async () => {}, 50)).rejects.toThrow(StartError);
    const second = aloneAmongGateways(other, async () => void done.push('second'));
    mayEnd.resolve();
    await Promise.all([first, second]);
    expect(done).toEqual(['first', 'second']);
  },
);
