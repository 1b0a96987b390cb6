import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { openStore, type Store } from '../store/store.ts';
import { EventStore, type NewEvent, type StoredEvent } from './service.ts';

let folder: string;
let runtime: Runtime;
let store: Store;
let events: EventStore;

async function open() {
  store = await openStore({ file: join(folder, 'events.sqlite'), inFlight: runtime.inFlight });
  events = await EventStore.open(runtime, store);
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-events-'));
  runtime = createRuntime({ clock: 'virtual', seed: 3 });
  await open();
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const settled = () => (runtime.clock as VirtualClock).advance(0);

function refundEvent(refundId: string): NewEvent {
  return {
    accountId: 'shop',
    environment: 'sandbox',
    type: 'payments.refunds.created',
    resourceId: refundId,
    data: { refundId, transactionId: 'd', status: 'processing', amount: '1.00', reason: 'other' },
  };
}
const publish = (id: string) => store.write((tx) => events.publish(tx, refundEvent(id)));
const ids = (list: readonly StoredEvent[]) => list.map(({ resourceId }) => resourceId);
const undispatched = () => store.read((tx) => events.undispatched(tx));

test('an event is stored with its change, and reported after both are on disk (B102, B136)', async () => {
  const notified: string[] = [];
  events.listen((list) => notified.push(...ids(list)));
  let inside: string[] = [];
  await store.write(async (tx) => {
    await events.publish(tx, refundEvent('r1'));
    await events.publish(tx, refundEvent('r2'));
    inside = [...notified];
  });
  await settled();
  expect(inside).toEqual([]);
  expect(notified).toEqual(['r1', 'r2']);
  expect(runtime.journal.since().map(({ kind }) => kind)).toEqual(['event.published', 'event.published']);
});

test('a change that is undone takes its events with it, and nobody is reported (B136)', async () => {
  const notified: string[] = [];
  events.listen((list) => notified.push(...ids(list)));
  const undone = store.write(async (tx) => {
    await events.publish(tx, refundEvent('undone'));
    throw new Error('no');
  });
  await expect(undone).rejects.toThrow('no');
  await publish('kept');
  await settled();
  expect(notified).toEqual(['kept']);
  expect(ids(await undispatched())).toEqual(['kept']);
});

test('events that could not be read are reported with the next ones', async () => {
  const rename = (from: string, to: string) =>
    store.write((tx) =>
      tx.schema
        .alterTable(from as 'events')
        .renameTo(to)
        .execute(),
    );
  const published = () => runtime.journal.since().filter(({ kind }) => kind === 'event.published');
  await Promise.all([publish('first'), rename('events', 'elsewhere')]);
  await settled();
  expect(published()).toEqual([]);
  expect(runtime.journal.since()).toMatchObject([{ kind: 'warning' }]);
  await rename('elsewhere', 'events');
  await publish('second');
  await settled();
  expect(published()).toHaveLength(2);
});

test('many changes at once are reported each once, in the order of the changes', async () => {
  const notified: StoredEvent[] = [];
  events.listen((list) => notified.push(...list));
  const names = Array.from({ length: 50 }, (_, index) => `r${index}`);
  const changes = names.map((name, index) =>
    store
      .write(async (tx) => {
        await events.publish(tx, refundEvent(name));
        if (index % 7 === 3) throw new Error('no');
      })
      .catch(() => {}),
  );
  await Promise.all(changes);
  await settled();
  const kept = names.filter((_, index) => index % 7 !== 3);
  expect(ids(notified)).toEqual(kept);
  expect(notified.map(({ seq }) => seq)).toEqual(notified.map(({ seq }) => seq).toSorted((a, b) => a - b));
  expect(ids(await undispatched())).toEqual(kept);
});

test('what a listener publishes itself is reported as well', async () => {
  const notified: string[] = [];
  events.listen((list) => {
    notified.push(...ids(list));
    if (notified.length < 3) void publish(`after ${notified.length}`);
  });
  await publish('first');
  await settled();
  expect(notified).toEqual(['first', 'after 1', 'after 2']);
});

test('what is marked dispatched is not handed on again; a mark that is undone is none', async () => {
  await publish('r1');
  await publish('r2');
  await publish('r3');
  await store.write(async (tx) => events.markDispatched(tx, await events.undispatched(tx, 2)));
  expect(ids(await undispatched())).toEqual(['r3']);
  const undone = store.write(async (tx) => {
    await events.markDispatched(tx, await events.undispatched(tx));
    throw new Error('no');
  });
  await expect(undone).rejects.toThrow('no');
  expect(ids(await undispatched())).toEqual(['r3']);
});

test('after a restart what was not dispatched is still there, and the order goes on', async () => {
  await publish('r1');
  await store.close();
  await open();
  const notified: string[] = [];
  events.listen((list) => notified.push(...ids(list)));
  await publish('r2');
  await settled();
  expect(notified).toEqual(['r2']);
  expect(ids(await undispatched())).toEqual(['r1', 'r2']);
});

test('a listener that stopped is notified no more', async () => {
  const notified: string[] = [];
  const stop = events.listen((list) => notified.push(...ids(list)));
  await publish('r1');
  await settled();
  stop();
  await publish('r2');
  await settled();
  expect(notified).toEqual(['r1']);
});

test('events are listed the latest first, by account, type and resource, page by page', async () => {
  for (const id of ['r1', 'r2', 'r3']) await publish(id);
  await store.write((tx) => events.publish(tx, { ...refundEvent('x'), accountId: 'rival' }));
  const all = await events.list({ limit: 10 });
  expect(ids(all)).toEqual(['x', 'r3', 'r2', 'r1']);
  expect(ids(await events.list({ limit: 10, accountId: 'shop', before: all[1]?.id }))).toEqual(['r2', 'r1']);
  expect(ids(await events.list({ limit: 10, resourceId: 'r2' }))).toEqual(['r2']);
  expect(await events.list({ limit: 10, type: 'payments.refunds.failed' })).toEqual([]);
  expect(await store.read((tx) => events.byId(tx, all[0]?.id ?? ''))).toEqual(all[0]);
});
