import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { Database } from '../../shared/database/database.ts';
import { openSqlite } from '../../shared/database/sqlite.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { emulatorHarness } from '../../test/emulator-harness.ts';
import { TerminalMemory } from './memory.ts';
import type { MemorySchema } from './memory-schema.ts';
import { memoryMigrations } from './migrations/index.ts';

function memoryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'terminals.sqlite');
}

async function openMemory() {
  const runtime = createRuntime({ clock: 'virtual' });
  const memory = await TerminalMemory.open(':memory:', runtime);
  onTestFinished(() => memory.close());
  return { memory, clock: runtime.clock as VirtualClock };
}

const sale = (serviceId: string) => ({
  serviceId,
  tenderReference: 'T',
  transactionId: `t${serviceId}`,
  timeStamp: '2026-01-01T09:00:00.000Z',
});

test('a ServiceID is first new, then under way, then concluded with its response', async () => {
  const { memory } = await openMemory();
  expect(await memory.find('A', '1')).toEqual({ state: 'new' });
  await memory.begin('A', sale('1'));
  expect(await memory.find('A', '1')).toEqual({ state: 'underWay' });
  expect(await memory.find('B', '1')).toEqual({ state: 'new' });
  await memory.conclude('A', sale('1'), '{"a":1}', undefined);
  expect(await memory.find('A', '1')).toEqual({ state: 'concluded', response: '{"a":1}' });
});

test('an outcome is remembered with what it gives back, for the message that answers it', async () => {
  const { memory } = await openMemory();
  for (const givesBack of ['reversal', 'refund', undefined] as const) {
    const id = givesBack ?? 'payment';
    await memory.conclude('A', { ...sale(id), givesBack }, '"it"', undefined);
    expect(await memory.find('A', id)).toEqual({ state: 'concluded', response: '"it"', givesBack });
  }
  const { undelivered } = await memory.recall('A');
  expect(new Set(undelivered.map(({ givesBack }) => givesBack))).toEqual(
    new Set(['reversal', 'refund', undefined]),
  );
});

test('a memory whose file was deleted can be closed, and its last write does no harm', async () => {
  const file = memoryFile();
  const memory = await TerminalMemory.open(file, createRuntime({ clock: 'virtual' }));
  await memory.begin('A', sale('1'));
  await memory.conclude('A', sale('1'), '"one"', undefined);
  memory.delivered('A', '1');
  rmSync(file);
  await memory.close();
});

test('unfinished work is recalled, and acknowledged work is not', async () => {
  const { memory } = await openMemory();
  await memory.begin('A', sale('1'));
  await memory.conclude('A', sale('1'), '"one"', { attemptId: 'a1', reason: 'Timeout' });
  await memory.begin('A', sale('2'));
  await memory.authorizing('A', 'a2', undefined);
  expect(await memory.recall('A')).toEqual({
    underWay: { sale: sale('2'), phase: 'authorizing', attemptId: 'a2', paymentResult: undefined },
    undelivered: [{ serviceId: '1', response: '"one"' }],
    reversals: [{ transactionId: 't1', attemptId: 'a1', reason: 'Timeout', refusals: 0 }],
  });
  memory.delivered('A', '1');
  await memory.reversed('A', 't1');
  await memory.conclude('A', sale('2'), '"two"', undefined);
  memory.delivered('A', '2');
  expect(await memory.recall('A')).toEqual({ underWay: undefined, undelivered: [], reversals: [] });
  expect(await memory.recall('B')).toEqual({ underWay: undefined, undelivered: [], reversals: [] });
});

test('outcomes are deleted after 48 h, but not before they are delivered', async () => {
  const { memory, clock } = await openMemory();
  await memory.conclude('A', sale('1'), '"one"', undefined);
  await memory.conclude('A', sale('2'), '"two"', undefined);
  memory.delivered('A', '1');
  await clock.advance(48 * 3_600_000);
  for (let i = 0; i < 1000; i++) await memory.conclude('B', sale(`${i}`), '""', undefined);
  const { undelivered } = await memory.recall('A');
  expect(undelivered).toEqual([{ serviceId: '2', response: '"two"' }]);
  expect(await memory.find('A', '1')).toEqual({ state: 'new' });
});

test('a wall clock that is set forward by days makes no ServiceID new before 48 h have passed (B122)', async () => {
  const { memory, clock } = await openMemory();
  await memory.conclude('A', sale('1'), '"one"', undefined);
  memory.delivered('A', '1');
  clock.setWallClock(49 * 3_600_000);
  for (let i = 0; i < 1000; i++) await memory.conclude('B', sale(`${i}`), '""', undefined);
  await clock.advance(48 * 3_600_000 - 1);
  expect(await memory.find('A', '1')).toEqual({ state: 'concluded', response: '"one"' });
  await clock.advance(1);
  expect(await memory.find('A', '1')).toEqual({ state: 'new' });
});

test('after a start every ServiceID is known again, even if there are very many', async () => {
  const file = memoryFile();
  const runtime = createRuntime({ clock: 'virtual' });
  const first = await TerminalMemory.open(file, runtime);
  const ids = Array.from({ length: 12_000 }, (_, n) => `${n}`);
  await first.close();
  const disk = await Database.open<MemorySchema>({ file, migrations: memoryMigrations });
  await disk.commit(
    ids.map((id) => ({
      insert: 'outcome',
      row: {
        poi_id: `T${id.length}`,
        service_id: id,
        at: runtime.clock.now(),
        transaction_id: id,
        response: '""',
      },
    })),
  );
  await disk.close();
  const again = await TerminalMemory.open(file, runtime);
  onTestFinished(() => again.close());
  for (let round = 0; round < 2; round++) {
    const some = ids.filter((_, n) => n % 500 === 0);
    const found = await Promise.all(some.map((id) => again.find(`T${id.length}`, id)));
    expect(new Set(found.map(({ state }) => state))).toEqual(new Set(['concluded']));
    expect(await again.find('T1', '12000')).toEqual({ state: 'new' });
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
  }
});

test('every change is on disk before it has effects', async () => {
  const file = memoryFile();
  const { gateway, terminal, settle } = await emulatorHarness({ memory: file });
  const { db: disk } = await openSqlite<MemorySchema>(file);
  onTestFinished(() => disk.destroy());
  const found: Record<string, unknown> = {};
  gateway.hold = async ({ kind }) => {
    const [underWay] = await disk.selectFrom('under_way').selectAll().execute();
    const [undelivered] = await disk.selectFrom('undelivered').selectAll().execute();
    found[kind] = { phase: underWay?.phase, undelivered: undelivered?.service_id };
  };
  gateway.pay('1');
  await settle();
  expect(found.DisplayRequest).toEqual({ phase: 'begun' });
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await settle();
  expect(found.AcquirerRequest).toEqual({ phase: 'authorizing' });
  expect(found.PaymentResponse).toEqual({ undelivered: '1' });
  gateway.pay('2'); // the next write to the memory also notes that the gateway has the first outcome
  await settle();
  expect(await disk.selectFrom('undelivered').selectAll().execute()).toEqual([]);
});

test('the last deliveries are stored when the file is closed', async () => {
  const file = memoryFile();
  const runtime = createRuntime({ clock: 'virtual' });
  const memory = await TerminalMemory.open(file, runtime);
  await memory.conclude('A', sale('1'), '"one"', undefined);
  memory.delivered('A', '1');
  await memory.close();
  const again = await TerminalMemory.open(file, runtime);
  onTestFinished(() => again.close());
  expect((await again.recall('A')).undelivered).toEqual([]);
});

test('a request is on disk before it is acknowledged', async () => {
  const file = memoryFile();
  const { gateway, settle } = await emulatorHarness({ memory: file });
  const { db: disk } = await openSqlite<MemorySchema>(file);
  onTestFinished(() => disk.destroy());
  let known: Promise<unknown[]> | undefined;
  gateway.pay('1', {}, () => {
    known = disk.selectFrom('under_way').select('service_id').execute();
  });
  await settle();
  expect(await known).toEqual([{ service_id: '1' }]);
});

test('no card number is written to the file', async () => {
  const file = memoryFile();
  const { gateway, terminal, settle } = await emulatorHarness({ memory: file });
  gateway.pay('1');
  await settle();
  terminal.act({ action: 'tap', card: 'visa-credit' });
  await settle();
  const { db: disk } = await openSqlite<MemorySchema>(file);
  onTestFinished(() => disk.destroy());
  const everything = JSON.stringify(await disk.selectFrom('outcome').selectAll().execute());
  expect(everything).toContain('411111 **** 1111');
  expect(everything).not.toContain('4111111111111111');
});

test('a memory of version 0.1.0 is read: its unfinished work names no attempt', async () => {
  const file = memoryFile();
  const runtime = createRuntime({ clock: 'virtual' });
  const { '0001-payments': payments } = memoryMigrations;
  const old = await Database.open<Record<string, never>>({
    file,
    migrations: { '0001-payments': payments! },
  });
  await old.write(async (db) => {
    await sql`insert into under_way values ('A', '2', ${JSON.stringify(sale('2'))}, 'authorizing', null)`.execute(
      db,
    );
    await sql`insert into reversal values ('A', 't1', 'Timeout')`.execute(db);
  });
  await old.close();
  const memory = await TerminalMemory.open(file, runtime);
  onTestFinished(() => memory.close());
  expect(await memory.recall('A')).toEqual({
    underWay: { sale: sale('2'), phase: 'authorizing', attemptId: undefined, paymentResult: undefined },
    undelivered: [],
    reversals: [{ transactionId: 't1', attemptId: undefined, reason: 'Timeout', refusals: 0 }],
  });
});
