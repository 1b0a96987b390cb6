import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testThoroughly } from '../optional-programs.ts';
import { PinpadProcess, type ReadyPinpad } from './pinpad-process.ts';

const testInCi = testThoroughly();

/** Starts processes that want the same terminals, in one data folder or in several (B197, B198). */

let folder: string;
const running: PinpadProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-twins-'));
});
afterEach(() => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function pinpad(...args: string[]): PinpadProcess {
  const started = new PinpadProcess(args);
  running.push(started);
  return started;
}

const gateway = (...more: string[]) =>
  pinpad('gateway', '--json', '--port', '0', '--data', join(folder, 'gateway'), ...more);

const made = ({ url, controlToken }: ReadyPinpad, data: string, count: number) =>
  pinpad(
    ...['terminal', '--json', '--gateway', url, '--control-token', controlToken],
    ...['--count', String(count), '--data', join(folder, data)],
  );
const poiIds = async (terminals: PinpadProcess) =>
  (await terminals.ready()).terminals.map(({ poiId }) => poiId);

testInCi(
  'two processes with separate folders have separate terminals, and none displaces another',
  async () => {
    const ready = await gateway().ready();
    const both = [made(ready, 'one', 2), made(ready, 'two', 2)];
    expect(new Set((await Promise.all(both.map(poiIds))).flat()).size).toBe(4);
    const connected = async () => {
      const headers = { authorization: `Bearer ${ready.controlToken}` };
      const response = await fetch(`${ready.url}/control/terminals`, { headers });
      return ((await response.json()) as { connected: boolean }[]).filter((each) => each.connected).length;
    };
    await expect.poll(connected, { timeout: 20_000 }).toBe(4);
    for (const process of both) expect((await process.stop()).stderr).not.toMatch(/another process|refused/);
  },
);

test('a second process in a folder is refused in one line until the first has ended, even by kill -9', async () => {
  const ready = await gateway().ready();
  const first = made(ready, 'one', 2);
  const terminals = await poiIds(first);
  const second = await made(ready, 'one', 1).ended();
  expect(second).toEqual({
    code: 2,
    stdout: '',
    stderr: `pinpad: ${terminals[0]} runs in another process (${first.child.pid}), with the memory in ${join(folder, 'one')}: end that process first, or use another folder (--data), which gets its own terminals\n`,
  });
  await first.stop('SIGKILL');
  const third = made(ready, 'one', 2);
  expect(await poiIds(third)).toEqual(terminals);
  expect((await third.stop()).code).toBe(0);
});

testInCi('processes with different terminals share a folder, and each restarts after a kill', async () => {
  const ready = await gateway().ready();
  const begin = (nth: number) => {
    const { poiId = '', deviceKey = '' } = ready.terminals[nth] ?? {};
    const which = ['--gateway', ready.url, '--poi', poiId, '--key', deviceKey];
    return pinpad('terminal', '--json', '--data', join(folder, 'shared'), ...which);
  };
  const both = [begin(0), begin(1)];
  await Promise.all(both.map((each) => each.ready()));
  await Promise.all(both.map((each) => each.stop('SIGKILL')));
  const [one, again] = [begin(1), begin(1)];
  const ended = await Promise.race([one.ended(), again.ended()]);
  expect([ended.code, ended.stderr.split('\n').length]).toEqual([2, 2]);
  await begin(0).ready();
  expect(readdirSync(join(folder, 'shared')).filter((name) => name.endsWith('-lock'))).toEqual([
    'terminals.sqlite-1-lock',
    'terminals.sqlite-2-lock',
    'terminals.sqlite-lock',
  ]);
});

testInCi(
  'pinpad up runs the terminals of its folder: pinpad terminal is refused there, except for other terminals',
  async () => {
    const data = ['--data', join(folder, 'data')];
    const up = pinpad('up', '--json', '--port', '0', ...data);
    const { controlToken, terminals } = await up.ready();
    const twin = await pinpad('terminal', ...data).ended();
    expect([twin.code, twin.stdout]).toEqual([2, '']);
    expect(twin.stderr).toBe(
      `pinpad: ${terminals[0]?.poiId} and 1 more run in another process (${up.child.pid}), with the memory in ${join(folder, 'data')}: end that process first, or start other terminals with --count\n`,
    );
    const others = pinpad('terminal', '--json', '--count', '2', '--control-token', controlToken, ...data);
    expect(await poiIds(others)).toEqual(['V400m-200000001', 'V400m-200000002']);
  },
);
