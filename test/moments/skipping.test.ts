import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stackHarness } from '../stack/stack-harness.ts';
import { until } from '../until.ts';

/** Faults at steps of a payment while a clock skips waiting times (B282, B284). */

async function setup(more: object = {}) {
  const harness = await stackHarness({ clock: 'skipping', ...more });
  const terminal = harness.stack.emulator?.terminal(harness.poiId);
  terminal?.setShopper({ card: 'visa-credit', entry: 'Contactless', tip: 'none', thinkMs: 1_000 });
  return { harness, terminal };
}

test('a pause stops skipping, which continues afterwards', async () => {
  const { harness, terminal } = await setup();
  await harness.control('PUT', '/moments/authorizing', { action: 'pause' });
  const paying = harness.pay(10);
  await until('the payment is paused', () => terminal?.pausedAt !== undefined);
  const { body: clock } = await harness.control<{ holds: object[] }>('GET', '/clock');
  expect(clock.holds).toMatchObject([{ name: 'pause at authorizing' }]);
  await harness.control('POST', '/moments/continue');
  expect((await paying).body.response.result).toBe('success');
});

test('skipping continues after a crash: the POS asks, and time waits for nobody who is dead', async () => {
  const data = mkdtempSync(join(tmpdir(), 'pinpad-skipping-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const { harness } = await setup({ memory: false, data });
  await harness.control('PUT', '/moments/before.concluded', { action: 'crash' });
  const key = { 'idempotency-key': 'order-1' };
  await expect(harness.pay(10, {}, key)).rejects.toThrow();
  const { body } = await harness.http('GET', '/payment-requests/status?idempotencyKey=order-1');
  expect(body.response.result).toBe('success');
  const { body: clock } = await harness.control<{ waiting?: object[] }>('GET', '/clock');
  expect(clock.waiting ?? []).toEqual([]);
});
