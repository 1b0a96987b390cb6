import { expect, test } from 'vitest';
import { createRuntime } from '../../../shared/create-runtime.ts';
import { noInFlightTracking } from '../../../shared/in-flight.ts';
import type { VirtualClock } from '../../../shared/virtual-clock.ts';
import { testThoroughly } from '../../../test/optional-programs.ts';
import type { RowChange } from '../../store/schema.ts';
import { openGatewayStore } from '../../store/store.ts';
import { IdempotencyKeyRegistry } from './idempotency-keys.ts';

const testInCi = testThoroughly();

const owner = { accountId: 'shop', environment: 'sandbox' } as const;
const runtime = createRuntime({ clock: 'virtual', seed: 1 });
const now = runtime.clock.now();
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Makes a concluded payment with the key `key ${nth}`. Seventy such payments are concluded in the same millisecond. */
function payment(nth: number): RowChange[] {
  const id = `payment ${String(nth).padStart(6, '0')}`;
  const concluded_at = now - 100_000 + Math.floor(nth / 70);
  const row = {
    id,
    kind: 'payment' as const,
    original_id: null,
    account_id: owner.accountId,
    environment: owner.environment,
    terminal_id: 'terminal',
    service_id: String(nth),
    amount: 1,
    currency: 'EUR',
    idempotency_key: `key ${nth}`,
    request_hash: 'hash',
    accepted_at: concluded_at,
    message: '{}',
    unknown_fields: null,
    pin_rule: null,
    key_use: 0,
  };
  const result = {
    payment_id: id,
    concluded_at,
    delivered_at: null,
    abort_requested_at: null,
    result: 'failure',
    error_condition: null,
    total: null,
    decided_by: 'gateway',
    why: 'a test',
    answer: '{}',
    outcome: null,
  } as const;
  return [
    { insert: 'payments', row },
    { insert: 'payment_results', row: result },
  ];
}

testInCi(
  'very many idempotency keys are read in portions, and until then the store is asked about each key',
  async () => {
    let reads = 0;
    const begin = () => {
      reads++;
      return () => {};
    };
    const store = await openGatewayStore({ file: ':memory:', inFlight: { ...noInFlightTracking, begin } });
    const all = Array.from({ length: 12_000 }, (_, nth) => nth);
    await store.commit(all.flatMap(payment));
    reads = 0;
    const keys = await IdempotencyKeyRegistry.open({ runtime, store });
    expect(reads).toBe(2); // one read gets the open payments, and the other gets the first page of the concluded payments
    expect((await keys.find(owner, 'key 11999')).former?.id).toBe('payment 011999');
    expect(await keys.find(owner, 'new')).toEqual({ former: undefined, nextUse: 0 });
    for (let before = -1; before !== reads; await turn()) {
      before = reads;
      await keys.find(owner, 'new');
    }
    for (const nth of all) expect((await keys.find(owner, `key ${nth}`)).nextUse).toBe(1);
    await store.close();
  },
);

test('a key is forgotten if its 48 hours are over and room is needed, but not while its payment is open (B58)', async () => {
  const runtime = createRuntime({ clock: 'virtual', seed: 1 });
  let reads = 0;
  const begin = () => {
    reads++;
    return () => {};
  };
  const store = await openGatewayStore({ file: ':memory:', inFlight: { ...noInFlightTracking, begin } });
  const keys = await IdempotencyKeyRegistry.open({ runtime, store });
  const readsFor = async (key: string) => {
    reads = 0;
    await keys.find(owner, key);
    return reads;
  };
  keys.noteUsed(owner, 'open');
  for (let nth = 0; nth < 600; nth++) {
    keys.noteUsed(owner, `former ${nth}`);
    keys.noteConcluded(owner, `former ${nth}`);
  }
  expect(await readsFor('former 0')).toBe(1);
  await (runtime.clock as VirtualClock).advance(49 * 3_600_000);
  for (let nth = 0; nth < 600; nth++) keys.noteUsed(owner, `new ${nth}`);
  expect([await readsFor('former 0'), await readsFor('open'), await readsFor('new 0')]).toEqual([0, 1, 1]);
  await store.close();
});
