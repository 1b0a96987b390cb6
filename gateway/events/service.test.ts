import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import type { WebhookDeliveryRow } from '../store/rows/webhooks.ts';
import type { RowChange } from '../store/schema.ts';
import { type GatewayStore, openGatewayStore } from '../store/store.ts';
import { EventStore } from './service.ts';
import type { Deliverable, NewEvent, StoredEvent } from './stored-event.ts';

let folder: string;
let runtime: Runtime;
let store: GatewayStore;
let events: EventStore;

async function open() {
  store = await openGatewayStore({ file: join(folder, 'events.sqlite'), inFlight: runtime.inFlight });
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
const publish = (id: string, changes: RowChange[] = []) => events.commit(changes, { event: refundEvent(id) });
/** A change that the database refuses, because no such debit exists. */
const breaking: RowChange[] = [{ delete: 'debits', where: { id: 'nobody' } }];
const ids = (list: readonly StoredEvent[]) => list.map(({ resourceId }) => resourceId);

test('an event is stored with its change, and reported after both are on disk (B102, B136)', async () => {
  const notified: string[] = [];
  const order: string[] = [];
  events.listen((list) => notified.push(...ids(list)));
  const note = { kind: 'warning', data: { message: 'noted' }, about: {} } as const;
  const committing = events.commit([], { event: refundEvent('r1'), notes: [note] }, () =>
    order.push('applied'),
  );
  await publish('r2');
  await committing;
  expect(order).toEqual(['applied']);
  expect(notified).toEqual(['r1', 'r2']);
  const kinds = ['warning', 'event.published', 'event.published'];
  expect(runtime.journal.since().map(({ kind }) => kind)).toEqual(kinds);
});

test('a change that is refused takes its events with it, and no listener is notified (B136)', async () => {
  const notified: string[] = [];
  events.listen((list) => notified.push(...ids(list)));
  expect(await publish('undone', breaking)).toMatchObject({ is: 'refused', because: 'version' });
  await publish('kept');
  expect(notified).toEqual(['kept']);
  expect(ids(await events.list({ limit: 10 }))).toEqual(['kept']);
});

test('many changes at once are each reported once, in their order', async () => {
  const notified: StoredEvent[] = [];
  events.listen((list) => notified.push(...list));
  const names = Array.from({ length: 50 }, (_, index) => `r${index}`);
  await Promise.all(names.map((name, index) => publish(name, index % 7 === 3 ? breaking : [])));
  const kept = names.filter((_, index) => index % 7 !== 3);
  expect(ids(notified)).toEqual(kept);
  expect(notified.map(({ seq }) => seq)).toEqual(notified.map(({ seq }) => seq).toSorted((a, b) => a - b));
  expect(ids(await events.list({ limit: 99 })).reverse()).toEqual(kept);
});

test('the deliveries of an event are stored with it, and attempted once they are on disk (B136)', async () => {
  const made: string[][] = [];
  const delivery = (event: Deliverable): WebhookDeliveryRow => ({
    id: `to ${event.resourceId}`,
    account_id: event.accountId,
    environment: event.environment,
    webhook_id: 'hook',
    event_id: event.id,
    event_seq: event.seq,
    resource_id: event.resourceId,
    state: 'pending',
    why: '',
    tries: 0,
    due_at: 0,
    created_at: 0,
    ended_at: null,
  });
  events.deliverBy({
    deliveriesOf: (event) => (event.resourceId === 'unwanted' ? [] : [delivery(event)]),
    changesToStore: (deliveries) => deliveries.map((row) => ({ insert: 'webhook_deliveries', row })),
    onStored: (deliveries) => made.push(deliveries.map(({ id }) => id)),
  });
  await publish('unwanted');
  await publish('undone', breaking);
  await publish('wanted');
  const stored = await store.read((tx) => tx.selectFrom('webhook_deliveries').select('id').execute());
  expect([stored, made]).toEqual([[{ id: 'to wanted' }], [['to wanted']]]);
});

test('an event that a listener publishes is reported as well', async () => {
  const notified: string[] = [];
  events.listen((list) => {
    notified.push(...ids(list));
    if (notified.length < 3) void publish(`after ${notified.length}`);
  });
  await publish('first');
  await settled();
  expect(notified).toEqual(['first', 'after 1', 'after 2']);
});

test('the order of events continues after a restart', async () => {
  await publish('r1');
  await store.close();
  await open();
  const notified: StoredEvent[] = [];
  events.listen((list) => notified.push(...list));
  await publish('r2');
  expect(notified.map(({ resourceId, seq }) => [resourceId, seq])).toEqual([['r2', 2]]);
});

test('a listener that stopped is no longer notified', async () => {
  const notified: string[] = [];
  const stop = events.listen((list) => notified.push(...ids(list)));
  await publish('r1');
  await settled();
  stop();
  await publish('r2');
  await settled();
  expect(notified).toEqual(['r1']);
});

test('events are stored after the gateway stops, and no listener is notified', async () => {
  const notified: string[] = [];
  events.listen((list) => notified.push(...ids(list)));
  await events.stop();
  await publish('r1');
  await settled();
  expect(notified).toEqual([]);
  expect(ids(await events.list({ limit: 10 }))).toEqual(['r1']);
});

test('events are listed by account, type and resource, the latest first, page by page', async () => {
  for (const id of ['r1', 'r2', 'r3']) await publish(id);
  await events.commit([], { event: { ...refundEvent('x'), accountId: 'rival' } });
  const all = await events.list({ limit: 10 });
  expect(ids(all)).toEqual(['x', 'r3', 'r2', 'r1']);
  expect(ids(await events.list({ limit: 10, accountId: 'shop', before: all[1]?.id }))).toEqual(['r2', 'r1']);
  expect(ids(await events.list({ limit: 10, accountId: 'rival' }))).toEqual(['x']);
  expect(ids(await events.list({ limit: 10, resourceId: 'r2' }))).toEqual(['r2']);
  expect(await events.list({ limit: 10, type: 'payments.refunds.failed' })).toEqual([]);
  expect(await store.read((tx) => events.byId(tx, all[0]?.id ?? ''))).toEqual(all[0]);
});
