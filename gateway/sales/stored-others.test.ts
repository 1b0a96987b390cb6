import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { makeLink, startHarnessWithQuestion } from '../credits/customer.fixture.ts';
import { createGateway, type Gateway } from '../index.ts';

/**
 * Starts a shop with a charge, a refund, a preauthorization, a declined charge and a payment link. Then opens another
 * gateway with the shop's data and a new journal.
 */
async function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-others-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const shop = await startHarnessWithQuestion({ folder });
  const debit = await shop.paid(12.3);
  const refund = (await shop.refund(debit, 2.3)).body.id as string;
  await shop.gateway.refunds.submit(refund);
  const held = (await shop.preauthorize(8)).body.debit_id as string;
  const declined = (await shop.charge(5, 'insufficient-funds')).body.debit_id as string | undefined;
  const link = (await makeLink(shop)).id;
  const before = await salesOf(shop.gateway);
  await shop.stop();
  const runtime = createRuntime({ clock: 'virtual', seed: 12 });
  const gateway = await createGateway({ dataFolder: folder }, runtime);
  onTestFinished(() => gateway.close());
  return { gateway, before, debit, refund, held, declined, link };
}

async function ask<Body>(gateway: Gateway, path: string): Promise<Body> {
  const headers = { authorization: `Bearer ${gateway.controlToken}` };
  return (await (await fetch(`${gateway.url}/control${path}`, { headers })).json()) as Body;
}

const salesOf = async (gateway: Gateway, query = '') =>
  (await ask<{ sales: Sale[] }>(gateway, `/sales${query}`)).sales;
const short = ({ saleId, kind, amount, charged, outcome, reason, refundOf, currency }: Sale) => ({
  ...{ saleId, kind, amount, charged, outcome, reason, refundOf, currency },
});

test('charges, refunds and payment links from before the journal are listed as stored (B235)', async () => {
  const { gateway, before, debit, refund, held, link } = await setup();
  const after = await salesOf(gateway);
  expect(after.map(short)).toEqual(before.map(short));
  expect(after.every(({ callsText, told }) => callsText === 'calls unknown' && told !== 'told')).toBe(true);
  const named = (saleId: string) => after.find((sale) => sale.saleId === saleId);
  expect(named(debit)).toMatchObject({ kind: 'charge', amount: 12.3, charged: 10, outcome: 'success' });
  expect(named(refund)).toMatchObject({ kind: 'refund', amount: 2.3, charged: null, refundOf: debit });
  expect(named(held)).toMatchObject({
    charged: 0,
    outcome: 'open',
    reason: 'preauthorized',
    told: 'nothing',
  });
  expect(named(link)).toMatchObject({ kind: 'link', amount: 25.5, accountId: 'shop', outcome: 'open' });
  for (const id of [debit, refund, held, link]) expect(await ask(gateway, `/sales/${id}`)).toEqual(named(id));
});

test('stored charges, refunds and links are found by their kind, and not by fields that they do not have', async () => {
  const { gateway, debit, refund, link } = await setup();
  const ids = async (query: string) => (await salesOf(gateway, query)).map(({ saleId }) => saleId);
  expect(await ids('?kind=refund')).toEqual([refund]);
  expect(await ids('?kind=link&accountId=shop')).toEqual([link]);
  expect(await ids('?kind=charge')).toContain(debit);
  expect(await ids('?kind=payment')).toEqual([]);
  expect(await ids('?idempotencyKey=k1')).toEqual([]);
  expect(await ids('?accountId=other')).toEqual([]);
});

test('pages continue without a gap or a repetition, even if there are more rows than one reading takes', async () => {
  const { gateway, debit } = await setup();
  await gateway.store.write(async (db) => {
    const row = await db.selectFrom('debits').selectAll().where('id', '=', debit).executeTakeFirstOrThrow();
    for (let copy = 0; copy < 210; copy++) {
      await db
        .insertInto('debits')
        .values({ ...row, id: gateway.runtime.identifiers.next() })
        .execute();
      for (let payment = 0; payment < 2; payment++)
        await db
          .insertInto('payments')
          .values(paymentRow(gateway, copy, payment))
          .execute();
    }
  });
  const all = await salesOf(gateway, '?limit=1000');
  expect(all).toHaveLength(635);
  expect(new Set(all.map(({ saleId }) => saleId)).size).toBe(635);
  const paged: Sale[] = [];
  for (let before = ''; ; ) {
    const path = `/sales?limit=150${before}`;
    const page = await ask<{ sales: Sale[]; next?: string }>(gateway, path);
    paged.push(...page.sales);
    if (page.next === undefined) break;
    before = `&before=${page.next}`;
  }
  expect(paged.length).toBe(635);
  expect(paged.slice(0, all.length)).toEqual(all);
});

function paymentRow({ runtime }: Gateway, copy: number, payment: number) {
  return {
    ...{ id: runtime.identifiers.next(), account_id: 'shop', environment: 'sandbox' as const },
    ...{
      terminal_id: 'gone',
      kind: 'payment' as const,
      original_id: null,
      service_id: `${copy}-${payment}`,
      amount: 100,
      currency: 'EUR',
    },
    ...{ idempotency_key: `k-${copy}-${payment}`, key_use: 0, request_hash: null, pin_rule: null },
    ...{
      accepted_at: runtime.clock.now(),
      message: '{}',
      unknown_fields: null,
      ...{ dialect: null, dialect_data: null, needs_link: null },
      sale_reference_id: null,
    },
  };
}

test('later changes of a stored charge, refund or link belong to it, though the journal lacks its beginning', async () => {
  const { gateway, debit, held, link } = await setup();
  await gateway.debits.expire(held);
  const headers = { authorization: `Bearer ${gateway.controlToken}`, 'content-type': 'application/json' };
  const expire = await fetch(`${gateway.url}/control/credits/${link}/expire`, { method: 'POST', headers });
  expect(expire.status).toBe(200);
  const sales = await salesOf(gateway);
  const named = (saleId: string) => sales.filter((sale) => sale.saleId === saleId);
  expect(named(held)).toMatchObject([{ outcome: 'failure', reason: 'voided', accountId: 'shop', amount: 8 }]);
  expect(named(link)).toMatchObject([{ outcome: 'failure', reason: 'expired', accountId: 'shop' }]);
  expect(named(debit)).toMatchObject([{ charged: 10 }]);
});
