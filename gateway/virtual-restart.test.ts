import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../shared/create-runtime.ts';
import type { VirtualClock } from '../shared/virtual-clock.ts';
import { makeLink, startHarnessWithQuestion } from './credits/customer.fixture.ts';
import { createGateway } from './index.ts';
import { day } from './saved-cards/saved-cards-harness.fixture.ts';

test('a virtual clock with kept data continues at the last stored time, and due work is done (B123)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-virtual-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const harness = await startHarnessWithQuestion({ folder });
  await harness.clock.advance(3 * day);
  await makeLink(harness); // the link's expiry is stored and lies in the future
  const debitId = await harness.paid(10);
  expect((await harness.refund(debitId, 1)).status).toBe(201);
  const happened = harness.clock.now();
  await harness.stop();

  const runtime = createRuntime({ clock: 'virtual', seed: 9 });
  const clock = runtime.clock as VirtualClock;
  const gateway = await createGateway({ dataFolder: folder }, runtime);
  onTestFinished(() => gateway.close());
  expect(new Date(clock.now())).toEqual(new Date(happened));
  await clock.advance(2_000);
  const { refunds } = await gateway.refunds.ofDebit(debitId);
  expect(refunds).toMatchObject([{ status: 'submitted' }]);
});
