import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { Database } from '../../shared/database/database.ts';
import { lockSqlite } from '../../shared/database/sqlite-connection.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { TerminalMemory } from './memory.ts';
import type { MemorySchema } from './memory-schema.ts';
import { memoryMigrations } from './migrations/index.ts';

/** Tests a memory file that several processes use, each of them for its own terminals (B198). */

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-holder-'));
  file = join(folder, 'terminals.sqlite');
  return () => rmSync(folder, { recursive: true });
});

/** Opens the memory file in the same way as a process that runs these terminals. */
async function open(...poiIds: string[]) {
  const memory = await TerminalMemory.open(file, createRuntime({ clock: 'virtual' }), poiIds);
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= memory.close());
  onTestFinished(close);
  return { memory, close };
}

const sale = (serviceId: string) => ({
  serviceId,
  tenderReference: 'T',
  transactionId: `t${serviceId}`,
  timeStamp: '2026-01-01T09:00:00.000Z',
});
const inUse = (which: string) =>
  `${which} in another process (${process.pid}), with the memory in ${folder}: end that process first`;

test('a terminal that another process runs is refused, and other terminals are not', async () => {
  await open('A', 'B');
  await open('C');
  await expect(open('D', 'B')).rejects.toThrow(inUse('B runs'));
  await expect(open('C', 'B', 'A')).rejects.toThrow(inUse('C and 2 more run'));
  await open('D');
});

test('a process that was refused holds no terminal, and a terminal is free when its process has ended', async () => {
  const first = await open('A');
  await expect(open('A', 'B')).rejects.toThrow(inUse('A runs'));
  const second = await open('B');
  await first.close();
  await second.close();
  await open('A', 'B');
});

test('terminals of a killed process do not pass to the next process with its lock', async () => {
  const { close } = await open('A');
  await close(); // the row of the process stays in the file, as after the process was killed
  await open('B');
  await open('A');
});

test('a further terminal is refused the same way, and what another process stored for it is read', async () => {
  const one = await open('A');
  const two = await open('B');
  await expect(two.memory.hold('A')).rejects.toThrow(inUse('A runs'));
  await one.memory.begin('A', sale('1'));
  await one.memory.conclude('A', sale('1'), '"one"', undefined);
  await one.memory.begin('A', sale('2'));
  await one.close();
  await two.memory.hold('A');
  expect(await two.memory.find('A', '1')).toEqual({ state: 'concluded', response: '"one"' });
  expect(await two.memory.find('A', '2')).toEqual({ state: 'underWay' });
  expect((await two.memory.recall('A')).undelivered).toHaveLength(1);
});

test("a terminal's unfinished work is known where it runs next, however long its new process waits for the old one", async () => {
  const { memory, close } = await open('A');
  const release = lockSqlite(file);
  const next = open('B', 'A').catch((error: Error) => error);
  await memory.begin('A', sale('1'));
  await close();
  release();
  const { memory: again } = (await next) as Awaited<ReturnType<typeof open>>;
  expect((await again.recall('A')).underWay?.sale.serviceId).toBe('1');
});

test('a start that waits for another in vain is reported', async () => {
  const release = lockSqlite(file);
  onTestFinished(release);
  const runtime = createRuntime({ clock: 'virtual' });
  const realClock = createRuntime({ clock: 'virtual' }).clock as VirtualClock;
  const opening = TerminalMemory.open(file, { ...runtime, realClock }, ['A']);
  const refused = expect(opening).rejects.toThrow(`another process is opening ${file} and does not finish`);
  await realClock.advance(16_000);
  await refused;
});

test('many processes that open a new file at once migrate it once', async () => {
  await Promise.all(Array.from({ length: 12 }, (_, nth) => open(`T${nth}`)));
  await expect(open('T7')).rejects.toThrow(inUse('T7 runs'));
});

test('ten thousand terminals are reserved, and reserved again by the next process', async () => {
  const all = Array.from({ length: 10_000 }, (_, nth) => `V400m-${nth}`);
  const { close } = await open(...all);
  await expect(open('X', ...all.slice(9_990))).rejects.toThrow(inUse('V400m-9990 and 9 more run'));
  await close();
  await open(...all);
});

test('a memory of the former release is continued, with the unfinished work of its terminals', async () => {
  const { '0004-holders': _, '0005-gives-back': __, ...former } = memoryMigrations;
  const old = await Database.open<MemorySchema>({ file, migrations: former });
  await old.commit([
    { insert: 'outcome', row: { ...outcome, refusals: 0 } },
    { insert: 'undelivered', row: key },
  ]);
  await old.close();
  const { memory } = await open('A');
  expect((await memory.recall('A')).undelivered).toEqual([{ serviceId: '1', response: '"one"' }]);
});
const key = { poi_id: 'A', service_id: '1' };
const outcome = { ...key, at: Date.now(), transaction_id: 't1', response: '"one"' };

test('the locks of processes that have ended are used again', async () => {
  for (let times = 0; times < 3; times++) await (await open('A')).close();
  expect(readdirSync(folder).filter((name) => name.endsWith('-lock'))).toEqual([
    'terminals.sqlite-1-lock',
    'terminals.sqlite-lock',
  ]);
});

test('a memory without a file is shared with nobody', async () => {
  const runtime = createRuntime();
  for (let times = 0; times < 2; times++) {
    const memory = await TerminalMemory.open(':memory:', runtime, ['A']);
    onTestFinished(() => memory.close());
    await memory.hold('B');
  }
});

test('a terminal is free even if the file of its process could not be closed properly', async () => {
  const { memory } = await open('A');
  const { close } = Database.prototype;
  Database.prototype.close = async function (this: Database<unknown>) {
    await close.call(this);
    throw new Error('not closed');
  };
  try {
    await expect(memory.close()).rejects.toThrow('not closed');
  } finally {
    Database.prototype.close = close;
  }
  await open('A');
});
