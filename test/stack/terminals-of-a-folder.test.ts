import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createControlClient } from '../../client/control-client.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { systemRandom } from '../../shared/random.ts';
import { resolveConfig, type Stack, StartError, startStack, startTerminals } from '../../stack/index.ts';
import { testThoroughly } from '../optional-programs.ts';

const testInCi = testThoroughly();

/** Tests the terminals that `pinpad terminal --count` creates, and the data folder that remembers them (B197, B198). */

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-made-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function newGateway(): Promise<Stack> {
  const config = resolveConfig(undefined, { port: 0, memory: true, logLevel: 'silent' });
  const stack = await startStack(config, { terminals: false });
  onTestFinished(() => stack.close());
  return stack;
}

/** Does what `pinpad terminal --count COUNT --data FOLDER` does. Without a folder, it does what `--memory` does. */
async function begin(
  { url, controlToken }: Pick<Stack, 'url' | 'controlToken'>,
  folder: string | undefined,
  count: number,
  seed?: number,
) {
  const kept = folder === undefined ? { memory: true } : { data: folder };
  const config = resolveConfig(undefined, { ...kept, pacing: 'instant', logLevel: 'silent' });
  const wanted = { gatewayUrl: url, controlToken, given: [], count, keys: systemRandom };
  const running = await startTerminals(wanted, config, createRuntime({ seed }));
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= running.close());
  onTestFinished(close);
  return { poiIds: running.terminals.map(({ poiId }) => poiId), close };
}

async function takenUp(gateway: Stack, folder: string | undefined, count: number): Promise<string[]> {
  const { poiIds, close } = await begin(gateway, folder, count);
  await close();
  return poiIds;
}

const listed = async ({ url, controlToken }: Stack) => {
  const all = await createControlClient({ url, token: controlToken }).GET('/control/terminals');
  return all.map(({ poiId }) => poiId).filter((poiId) => poiId.startsWith('V400m-2'));
};

test('a second folder gets different terminals, even at the same time (B197)', async () => {
  const gateway = await newGateway();
  const [one, two] = await Promise.all([begin(gateway, newFolder(), 3), begin(gateway, newFolder(), 3)]);
  expect(new Set([...one.poiIds, ...two.poiIds]).size).toBe(6);
});

test('a folder continues with its terminals, or fewer or more of them (B197)', async () => {
  const gateway = await newGateway();
  const folder = newFolder();
  const two = await takenUp(gateway, folder, 2);
  await takenUp(gateway, newFolder(), 1);
  expect(await takenUp(gateway, folder, 1)).toEqual(two.slice(0, 1));
  const four = await takenUp(gateway, folder, 4);
  expect(four.slice(0, 2)).toEqual(two);
  expect(await takenUp(gateway, folder, 4)).toEqual(four);
  expect(await listed(gateway)).toHaveLength(5);
});

test('a terminal that was deleted at the gateway meanwhile is made again, with another number', async () => {
  const gateway = await newGateway();
  const folder = newFolder();
  const [one = '', two] = await takenUp(gateway, folder, 2);
  await gateway.gateway.terminals.deleteTerminal(gateway.gateway.terminals.byPoiId(one)?.id ?? '');
  expect(await takenUp(gateway, folder, 2)).toEqual(['V400m-200000003', two]);
});

test('at another gateway a folder gets new terminals, and it gets the former ones back at the former gateway', async () => {
  const [here, there] = [await newGateway(), await newGateway()];
  const folder = newFolder();
  await takenUp(there, newFolder(), 2);
  const former = await takenUp(here, folder, 2);
  expect(await takenUp(there, folder, 2)).toEqual(['V400m-200000003', 'V400m-200000004']);
  expect(await takenUp(here, folder, 2)).toEqual(former);
});

test('with --memory nothing is remembered, and each start gets new terminals', async () => {
  const gateway = await newGateway();
  const all = [...(await takenUp(gateway, undefined, 2)), ...(await takenUp(gateway, undefined, 2))];
  expect(new Set(all).size).toBe(4);
});

test('processes with one seed have different terminals', async () => {
  const gateway = await newGateway();
  const all = await Promise.all([begin(gateway, newFolder(), 1, 7), begin(gateway, newFolder(), 1, 7)]);
  expect(new Set(all.flatMap(({ poiIds }) => poiIds)).size).toBe(2);
});

test('a folder of version 0.1.0 continues with the terminals that it numbered itself', async () => {
  const gateway = await newGateway();
  await takenUp(gateway, newFolder(), 1);
  const { terminals } = gateway.gateway;
  const [store] = terminals.listStores();
  const made = {
    storeId: store?.id ?? '',
    poiId: 'V400m-200000002',
    deviceKey: 'dev_that-it-made-by-itself',
  };
  await terminals.createTerminal(made);
  const folder = newFolder();
  const secrets = {
    'terminal V400m-200000002': made.deviceKey,
    'terminal V400m-200000001': 'dev_was-replaced',
  };
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify(secrets));
  expect(await takenUp(gateway, folder, 2)).toEqual(['V400m-200000003', made.poiId]);
});

testInCi('all of 2500 terminals, more than the gateway accepts at once, connect again', async () => {
  const gateway = await newGateway();
  const folder = newFolder();
  const all = await takenUp(gateway, folder, 2500);
  expect(new Set(all).size).toBe(2500);
  expect(await takenUp(gateway, folder, 2500)).toEqual(all);
});

test('terminals that a process of the folder runs are refused to another process in one line (B198)', async () => {
  const gateway = await newGateway();
  const folder = newFolder();
  const { close } = await begin(gateway, folder, 2);
  await expect(begin(gateway, folder, 3)).rejects.toThrow(
    new StartError(
      `V400m-200000001 and 1 more run in another process (${process.pid}), with the memory in ${folder}: end that process first, or use another folder (--data), which gets its own terminals`,
    ),
  );
  await close();
  await begin(gateway, folder, 3);
});

test('if processes start on a new folder at once, one runs its terminals, and the others are refused', async () => {
  const gateway = await newGateway();
  const folder = newFolder();
  const begun = await Promise.allSettled(Array.from({ length: 4 }, () => begin(gateway, folder, 2)));
  expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const each of begun)
    if (each.status === 'rejected') expect(each.reason.message).toMatch(/run in another process/);
  expect(await listed(gateway)).toHaveLength(2);
});

test('a gateway of an earlier release, which gives no numbers, is reported as such', async () => {
  const server = createServer((request, response) => {
    const stores = [{ id: '0198c0de-0000-4000-8000-000000000001', name: 'Shop' }];
    const here = request.url === '/control/stores';
    response.writeHead(here ? 200 : 404, { 'content-type': 'application/json', 'request-id': 'one' });
    response.end(JSON.stringify(here ? stores : { error: 'routeNotFound', message: 'No such route' }));
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(begin({ url, controlToken: 'control_of_a_former_one' }, newFolder(), 1)).rejects.toThrow(
    `the gateway at ${url} is of an earlier release, which cannot choose numbers for new terminals`,
  );
});
