import { expect, onTestFinished, test } from 'vitest';
import { systemRandom } from '../../shared/random.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { CommandDriver } from './command-driver.ts';
import { ExploreServer } from './explore-server.ts';
import { KillSwitch } from './kill-switch.ts';
import { makeLocalEnvironmentProvider } from './local-environment-provider.ts';
import { waitForCommandSilence } from './stays-silent.ts';

async function anEnvironment() {
  const arena = makeLocalEnvironmentProvider({ config: undefined, port: undefined, seed: 1 });
  const environment = await arena.open({ folder: false, worker: 0 });
  onTestFinished(() => environment.close());
  return { environment, clock: new VirtualClock({ startMs: 0 }) };
}

test('a command that sends nothing in a minute is given up, long before its time limit (B304)', async () => {
  const { environment, clock } = await anEnvironment();
  const server = await ExploreServer.listen(systemRandom);
  onTestFinished(() => server.close());
  const driver = new CommandDriver({
    ...{
      argv: [process.execPath, '-e', 'setInterval(() => {}, 1000)'],
      before: undefined,
      restart: undefined,
    },
    ...{
      pidFile: undefined,
      env: {},
      environment: process.env,
      linger: false,
      clock,
      stopped: new AbortController().signal,
    },
    server: () => server,
    leads: undefined,
  });
  const sold = driver.sell(environment, new KillSwitch(environment), {
    worker: 0,
    limitMs: 120_000,
    silentMs: 60_000,
  });
  await clock.advance(60_000);
  expect((await sold).ended).toMatchObject({ signal: 'SIGKILL', timedOut: true });
});

test('a command that has sent a request is not given up as silent', async () => {
  const { environment, clock } = await anEnvironment();
  const silent = waitForCommandSilence(environment, clock, 60_000, new AbortController().signal);
  await fetch(`${environment.url}/terminals`, { headers: { authorization: `Bearer ${environment.token}` } });
  expect(await silent).toBe(false);
});
