import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { RowChange } from '../store/schema.ts';
import { openGatewayStore } from '../store/store.ts';
import { commitDeliveryInput } from './commit-delivery-input.ts';
import { makeDeliveryRow } from './delivery-row.fixture.ts';
import { readDeliveryById } from './rows.ts';

const pending = makeDeliveryRow();

/** Makes a delivery. Then a manual attempt delivers its event. `pending` is the delivery's row before that attempt. */
async function deliveredMeanwhile() {
  const store = await openGatewayStore({ file: ':memory:' });
  onTestFinished(() => store.close());
  const read = (id: string) => store.read((tx) => readDeliveryById(tx, id));
  const commit = (batch: readonly RowChange[]) => store.commit(batch);
  const parts = { runtime: createRuntime({ clock: 'virtual', seed: 1 }), read, commit };
  await commit([{ insert: 'webhook_deliveries', row: pending }]);
  await commitDeliveryInput(parts, pending.id, { is: 'taken', by: 'hand', why: 'the receiver answered 200' });
  return { parts, stored: () => read(pending.id) };
}

test.each([
  ['whose webhook is found disabled', { is: 'unwanted' }],
  ['that a test has come late', { is: 'putOff', forMs: 1_000, why: 'a test delays the event (delayEvent)' }],
] as const)('a delivery %s stays delivered if it was delivered meanwhile (B350)', async (_, input) => {
  const { parts, stored } = await deliveredMeanwhile();
  const delivered = await stored();
  const { delivery, effects } = await commitDeliveryInput(parts, pending, input);
  expect([delivery.state, effects]).toEqual(['delivered', []]);
  expect(await stored()).toEqual(delivered);
});

test('an attempt that another attempt overtook is decided on the result of that (B350)', async () => {
  const { parts, stored } = await deliveredMeanwhile();
  const failing = { is: 'refused', by: 'schedule', why: 'the receiver answered 500' } as const;
  await commitDeliveryInput(parts, pending, failing);
  expect(await stored()).toMatchObject({ state: 'delivered', why: 'the receiver answered 200', tries: 1 });
});
