import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startLocalEnvironment } from '../../scenarios/index.ts';
import { accountConfigSchema } from '../../stack/account-config.ts';
import { attachReaders, findWantedReaders } from '../../stack/attach-readers.ts';
import {
  type Config,
  makeConfiguredRuntime,
  resolveConfig,
  type Stack,
  startStack,
  startTerminals,
} from '../../stack/index.ts';
import { emulatorHarness, poiId } from '../emulator-harness.ts';

/** Checks that a start which fails late closes everything, so that nothing is left open for the caller to close. */

function virtualStart() {
  const data = mkdtempSync(join(tmpdir(), 'pinpad-failed-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const config = resolveConfig(undefined, { port: 0, data, clock: 'virtual', seed: 1 });
  const runtime = makeConfiguredRuntime(config);
  return {
    config,
    runtime,
    /** Returns the files that are beside a database only while it is open. */
    open: () => readdirSync(data).filter((name) => /-(wal|shm)$/.test(name)),
  };
}

type Wanted = ReturnType<typeof findWantedReaders>[number];

/** Starts a serial server that offers a reader, and counts the connections to it. */
async function serialServer() {
  const server = createServer((line) => line.resume().on('error', () => {}));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return {
    reader: `msr:tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lines: () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
  };
}

/** Invalid arguments that a caller without types may pass. */
const wrong = {
  'while readers are attached': undefined,
  'after readers were attached': { rules: [], wedge: { start: 7 } },
} as unknown as Record<string, Config['readers']>;

test.each(Object.keys(wrong))('a stack is closed if its start fails %s', async (when) => {
  const { config, runtime, open } = virtualStart();
  const started = startStack({ ...config, readers: wrong[when]! }, { terminals: true, runtime });
  await expect(started).rejects.toThrow();
  expect(open()).toEqual([]);
});

test('a stack whose gateway reports an error at its end closes everything else', async () => {
  const { config, runtime, open } = virtualStart();
  const stack = await startStack(config, { terminals: true, runtime });
  failAtClose(stack.gateway);
  expect(open()).not.toEqual([]);
  await expect(stack.close()).rejects.toThrow('the disk is gone');
  expect(open()).toEqual([]);
});

test('an environment whose gateway reports an error at its end closes its terminals and removes its folder', async () => {
  const folder = ownTemporaryFolder();
  const environment = await startLocalEnvironment({}, { keepsData: true });
  failAtClose(environment.stack.gateway);
  expect(readdirSync(folder)).not.toEqual([]);
  await expect(environment.close()).rejects.toThrow('the disk is gone');
  expect(readdirSync(folder)).toEqual([]);
});

test('an environment that cannot start removes its folder', async () => {
  const folder = ownTemporaryFolder();
  const taken = createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  await expect(startLocalEnvironment({ port }, { keepsData: true })).rejects.toThrow('is taken');
  expect(readdirSync(folder)).toEqual([]);
});

/** Makes the gateway close as usual, and then fail. */
function failAtClose(gateway: Stack['gateway']): void {
  const close = gateway.close.bind(gateway);
  gateway.close = async () => {
    await close();
    throw new Error('the disk is gone');
  };
}

/** Makes a folder in which this process makes its temporary folders until the test has finished. */
function ownTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-failed-'));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

test('terminals in a separate process are closed if their start fails', async () => {
  const { gateway } = await emulatorHarness();
  const { config, runtime, open } = virtualStart();
  const wanted = { gatewayUrl: gateway.url, given: [{ poiId, deviceKey: 'key' }], count: 0 };
  const started = startTerminals(wanted, { ...config, readers: undefined! }, runtime);
  await expect(started).rejects.toThrow();
  expect(open()).toEqual([]);
});

test('terminals are closed if one is named twice', async () => {
  const { config, runtime, open } = virtualStart();
  const terminal = { poiId, deviceKey: 'key' };
  const wanted = { gatewayUrl: 'http://127.0.0.1:1', given: [terminal, terminal], count: 0 };
  const started = startTerminals(wanted, config, runtime);
  await expect(started).rejects.toThrow(`the terminal ${poiId} already exists`);
  expect(open()).toEqual([]);
});

test.each([
  [1e12, 'is larger than any amount'],
  [12.345, 'has more decimals than EUR'],
])('the transaction limit %d of an account is refused with the reason', async (transactionLimit, why) => {
  const { config, runtime, open } = virtualStart();
  const accounts = [accountConfigSchema.parse({ name: 'Shop', currency: 'EUR', transactionLimit })];
  const started = startStack({ ...config, accounts }, { terminals: false, runtime });
  await expect(started).rejects.toThrow(`the transactionLimit of Shop ${why}`);
  expect(open()).toEqual([]);
});

test('a reader is refused if there is no terminal for it', () => {
  const config = { ...virtualStart().config, clock: 'real' as const };
  expect(() => findWantedReaders(config, ['msr:/dev/ttyUSB0'], [])).toThrow(
    '--reader msr:/dev/ttyUSB0: there is no terminal for this reader',
  );
});

test('attached readers are released if a start fails', async () => {
  const { emulator } = await emulatorHarness();
  const config = { ...virtualStart().config, clock: 'real' as const };
  const [released, kept] = [await serialServer(), await serialServer()];
  const [first, second] = findWantedReaders(config, [released.reader, kept.reader], [poiId]) as [
    Wanted,
    Wanted,
  ];
  const attach = (...wanted: Wanted[]) =>
    attachReaders(wanted, emulator, config, 'secret', makeConfiguredRuntime(config));
  await expect(attach(first, { ...second, poiId: 'V400m-9' })).rejects.toThrow(
    'the terminal V400m-9 of the reader does not exist',
  );
  const others = await attach(second);
  onTestFinished(() => others.close());
  // The reader `released` was attached first. If it were still attached, it would be connected before `kept` is
  // connected.
  await expect.poll(kept.lines).toBe(1);
  expect(await released.lines()).toBe(0);
});
