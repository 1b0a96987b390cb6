import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MomentPlan } from '../../shared/moment-plans.ts';
import { type MomentName, momentNames, moments } from '../../shared/moments.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { sampleCases } from '../draws.ts';
import { testThoroughly } from '../optional-programs.ts';
import { openStack, type StackHarness, type TransactionResult } from '../stack/stack-harness.ts';
import { gatewayPaymentWays, outcomeOf, type PaymentWay, payBy, usualPaymentWays } from './pays.ts';

const testInCi = testThoroughly();

/**
 * Crashes the gateway or cuts a connection at every step of the gateway. Checks that the answers, the ledgers and
 * the sales agree afterwards (B280, B282).
 */

const atGateway = momentNames.filter((name) => moments[name].side === 'gateway');
const folder = mkdtempSync(join(tmpdir(), 'pinpad-moments-'));

/** One way to pay stands for all usual ways, because the gateway passes the same steps in each of them. */
const oneOfMost = { 'a chip with its PIN': usualPaymentWays['a chip with its PIN'] as PaymentWay };

let harness: StackHarness;
beforeAll(async () => {
  harness = await openStack({ memory: false, data: folder });
});
afterAll(async () => {
  await harness.close();
  rmSync(folder, { recursive: true });
});

async function paysWith(moment: MomentName, action: 'crash' | 'cutConnection', way: PaymentWay) {
  const set = await harness.control('PUT', `/moments/${moment}`, { action, terminal: harness.poiId });
  expect(set.status).toBe(200);
  const since = harness.journal().at(-1)?.seq ?? 0;
  const paid = await payBy(harness, way);
  const { set: left } = (await harness.control<{ set: MomentPlan[] }>('GET', '/moments')).body;
  await harness.control('DELETE', '/moments');
  const { body } = await harness.control<{ kind: string }[]>(
    'GET',
    `/ledger?payment=${paid.result.identifier}`,
  );
  const books = await harness.control('GET', '/books');
  expect(books.body).toMatchObject({ agree: true, open: 0, differences: [] });
  const taken = body.map(({ kind }) => kind).filter((kind) => kind === 'authorized' || kind === 'reversed');
  expect(taken).toEqual(outcomeOf(paid.result) === 'success' ? ['authorized'] : []);
  await agreesWithItsSale(paid.result);
  const happened = harness.journal().filter(({ seq }) => seq > since);
  return { paid, reached: left.length === 0, happened };
}

/**
 * Checks that the sale is complete. After a crash, entries may be missing from the journal. The store then has the data
 * of the sale.
 */
async function agreesWithItsSale(result: TransactionResult): Promise<void> {
  const { identifier } = result;
  const { body } = await harness.control<Pick<Sale, 'attempts' | 'calls'>>('GET', `/sales/${identifier}`);
  const attempt = body.attempts.find(({ payment }) => payment === identifier);
  const outcome = outcomeOf(result) === 'success' ? 'success' : 'failure';
  expect(attempt?.outcome).toBe(outcome);
  expect((attempt?.charged ?? 0) > 0).toBe(outcome === 'success');
  expect(body.calls.filter(({ end }) => end === 'open')).toEqual([]);
}

const cameTo = new Set<MomentName>();

describe.each(Object.entries({ ...oneOfMost, ...gatewayPaymentWays }))(
  '%s',
  (_name, way: PaymentWay & { to?: readonly MomentName[] }) => {
    const { to = atGateway } = way;
    let without = '';
    beforeAll(async () => {
      without = outcomeOf((await payBy(harness, way)).result);
    });

    test.each(sampleCases(to, 3))('the gateway crashes at %s', async (moment) => {
      const { paid, reached, happened } = await paysWith(moment, 'crash', way);
      if (way.to) expect(reached).toBe(true);
      if (reached) cameTo.add(moment);
      const crashes = happened.filter(({ kind }) => kind === 'gateway.crashed');
      expect(crashes.map(({ data }) => data)).toEqual(reached ? [{ at: moment }] : []);
      const aborted = moment === 'before.abort' ? ['aborted', 'success'] : [without];
      expect(aborted).toContain(outcomeOf(paid.result));
      // If the payment was never accepted, the POS sends the request again and gets the answer to it.
      const isAnswered = moment === 'before.accepted';
      if (reached && !way.aborted) expect(paid.answered).toBe(isAnswered);
    });

    test.each(sampleCases(to, 6))('the connection of the POS breaks at %s', async (moment) => {
      const { paid, reached } = await paysWith(moment, 'cutConnection', way);
      expect(outcomeOf(paid.result)).toBe(without);
      if (reached && !way.aborted) expect(paid.answered).toBe(false);
    });
  },
);

testInCi('every moment of the gateway was reached', () => {
  expect(atGateway.filter((name) => !cameTo.has(name))).toEqual([]);
});
