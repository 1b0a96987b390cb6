import { callControl } from './control.ts';
import { nativeApi } from './native-api.ts';
import type { PosPayment, StoredPayment } from './pos-api.ts';
import type { World } from './world.ts';

/**
 * The maximum difference between this process's clock and the gateways' clock, which may be the clock of their
 * database.
 */
const clocksDifferMs = 10_000;

/** Finds the gateway's payments for each request whose API does not tell the payment's identifier. */
export async function findStored(world: World, payments: readonly PosPayment[]): Promise<void> {
  const foreign = payments.filter(({ api }) => api !== nativeApi);
  const stored = await storedSince(world, Math.min(...foreign.map(({ begunAt }) => begunAt)));
  const bySale = Map.groupBy(stored, ({ saleReferenceId }) => saleReferenceId);
  for (const payment of foreign) payment.stored = bySale.get(payment.key) ?? [];
}

async function storedSince(world: World, sinceMs: number): Promise<StoredPayment[]> {
  const all: StoredPayment[] = [];
  for (;;) {
    const last = all.at(-1);
    if (last && Date.parse(last.acceptedAt) < sinceMs - clocksDifferMs) return all;
    const before = last ? `&before=${last.identifier}` : '';
    const page = await callControl<StoredPayment[]>(world, `/control/payments?limit=200${before}`);
    if (page.length === 0) return all;
    all.push(...page);
  }
}
