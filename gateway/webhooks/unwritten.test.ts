import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fillDatabase } from '../../shared/database/full-database.fixture.ts';
import { SavedCardsHarness } from '../saved-cards/saved-cards-harness.fixture.ts';
import { type Reaction, Receiver } from './receiver.fixture.ts';

/**
 * Opens a gateway for tests in which the result of a delivery cannot be stored at first, or one delivery overtakes
 * another.
 */

async function setup(react: () => Reaction) {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-webhooks-'));
  const harness = await SavedCardsHarness.start({
    folder,
    gateway: { webhookTimeoutMs: 600_000 }, // virtual time waits for every answer
  });
  const receiver = await Receiver.start(react);
  onTestFinished(async () => {
    await harness.stop();
    await receiver.close();
    rmSync(folder, { recursive: true });
  });
  const webhook = { accountId: 'shop', url: receiver.url };
  const { id } = (await harness.control('POST', '/control/webhooks', webhook)).body;
  const enable = (enabled: boolean) => harness.control('PATCH', `/control/webhooks/${id}`, { enabled });
  const settled = () => harness.clock.advance(0);
  const log = async () => (await harness.control('GET', '/control/webhook-deliveries')).body;
  return { harness, receiver, enable, settled, log };
}

test('an attempt whose result cannot be stored is repeated until it can, and that is reported once (B68, B107)', async () => {
  const { harness, receiver, settled, log } = await setup(() => 500);
  await harness.paid(5);
  await settled();
  const mend = await fillDatabase((work) => harness.gateway.store.write(work as never));
  receiver.react = () => 200;
  await harness.clock.advance(10_000);
  expect(receiver.received.length).toBeGreaterThan(3);
  expect(harness.journal('warning').map(({ data }) => data.message)).toEqual([
    expect.stringMatching(/pinpad\.sqlite cannot be written \(no space left on the disk\)/),
    expect.stringMatching(/^webhook delivery .* could not be written yet/),
  ]);
  await mend();
  await harness.clock.advance(30_000);
  expect(await log()).toMatchObject([{ state: 'delivered', attempts: [{ status: 500 }, { status: 200 }] }]);
});

test('events behind one that is sent by hand wait for the attempt that is under way (B108)', async () => {
  const { harness, receiver, settled, log } = await setup(() => (response) => response.writeProcessing());
  const held = (await harness.preauthorize(5)).body.debit_id;
  await settled();
  receiver.react = () => 200;
  await harness.capture(held);
  await harness.control('POST', `/control/webhook-deliveries/${(await log()).at(-1).id}/replay`);
  await settled();
  expect(receiver.types).toEqual(['payments.debits.preauthorized', 'payments.debits.preauthorized']);
  await harness.clock.advance(15_000);
  expect(receiver.types.slice(2)).toEqual(['payments.debits.paid']);
});

test('a webhook that is enabled again gets the next event of a resource of which one event was given up', async () => {
  const { harness, receiver, enable, settled } = await setup(() => 500);
  const held = (await harness.preauthorize(5)).body.debit_id;
  await settled();
  await enable(false);
  await enable(true);
  receiver.react = () => 200;
  await harness.capture(held);
  await settled();
  expect(receiver.types).toEqual(['payments.debits.preauthorized', 'payments.debits.paid']);
});

test('events stored while their webhook is being disabled end with it, even behind waiting events (B351)', async () => {
  const { harness, receiver, enable, settled, log } = await setup(() => 500);
  const held = (await harness.preauthorize(5)).body.debit_id;
  await settled();
  const { store } = harness.gateway;
  const stored = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const commit = store.commit.bind(store);
  store.commit = async (changes) => {
    const result = await commit(changes);
    if (changes.some((change) => 'update' in change && change.update === 'webhooks')) {
      stored.resolve();
      await free.promise;
    }
    return result;
  };
  const disabling = enable(false);
  await stored.promise;
  await harness.capture(held);
  free.resolve();
  await disabling;
  await settled();
  expect(await log()).toMatchObject([
    { state: 'failed', why: 'the webhook was deleted or disabled' },
    { state: 'failed', why: expect.stringMatching(/^the webhook is disabled/) },
  ]);
  expect(receiver.received).toHaveLength(1);
});

test('a change that ends deliveries waits until an answered attempt is stored', async () => {
  const { harness, receiver } = await setup(() => 200);
  const { store, deliveries } = harness.gateway;
  const asked = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const commit = store.commit.bind(store);
  store.commit = async (changes) => {
    if (changes.some((change) => 'insert' in change && change.insert === 'webhook_attempts')) {
      asked.resolve();
      await free.promise;
    }
    return commit(changes);
  };
  await harness.paid(5);
  await asked.promise;
  let stopped = false;
  const stopping = deliveries.stop().then(() => {
    stopped = true;
  });
  // The read takes some turns of the event loop.
  await store.read((db) => db.selectFrom('webhook_attempts').select('id').execute());
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  free.resolve();
  await stopping;
  expect(receiver.received).toHaveLength(1);
  expect(await deliveries.list({ limit: 1 })).toMatchObject([{ state: 'delivered' }]);
});

test("a clock set forward while an attempt's result is stored does not bring the next attempt forward (B122)", async () => {
  const { harness, receiver, settled } = await setup(() => 500);
  const { journal } = harness.runtime;
  const stop = journal.listen(({ kind }) => {
    if (kind !== 'webhook.attempted') return;
    stop();
    harness.clock.setWallClock(24 * 3_600_000);
  });
  await harness.paid(5);
  await settled();
  expect(receiver.received).toHaveLength(1);
  await harness.clock.advance(4_000);
  expect(receiver.received).toHaveLength(1);
  await harness.clock.advance(2_000);
  expect(receiver.received).toHaveLength(2);
});
