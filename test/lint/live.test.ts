import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../shared/lint/finding.ts';
import { lintJournal } from '../../shared/lint/lint-journal.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { seededLines } from '../seeded-lines.ts';
import { type StackHarness, stackHarness } from '../stack/stack-harness.ts';
import { mistakesByRule, Shop } from './careless-pos.ts';

const all = Object.keys(mistakesByRule);
const counts = (findings: readonly Finding[]) => findings.map(({ rule, what, count }) => [rule, what, count]);

async function makesAllMistakes(shop: Shop): Promise<void> {
  for (const rule of all) await mistakesByRule[rule]?.(shop);
}

test('live findings are the same as those found afterwards (B255)', async () => {
  const shop = new Shop(await stackHarness({ adyen: true }));
  const { findings } = shop.harness.stack.gateway;
  const told: string[] = [];
  shop.harness.stack.gateway.onFinding(({ rule }) => told.push(rule));
  await makesAllMistakes(shop);
  findings.end();
  expect(counts(findings.list())).toEqual(counts(lintJournal(shop.harness.journal())));
  expect(new Set(told)).toEqual(new Set(all));
});

test('the same seed gives the same journal with lint and without it, and no other timers (B255)', async () => {
  const run = async (lint: 'warning' | 'off') => {
    const harness = await stackHarness({ seed: 42, lint, adyen: true });
    await harness.control('POST', '/clock/advance', { ms: 1 });
    await makesAllMistakes(new Shop(harness));
    await harness.settled();
    const { findings } = harness.stack.gateway;
    findings.findMistakes();
    const lines = seededLines(harness.journal()).map((line) => line.replaceAll(/127\.0\.0\.1:\d+/g, 'URL'));
    return { lines, found: findings.list().length > 0, due: harness.clock.nextDue() };
  };
  const [on, off] = [await run('warning'), await run('off')];
  expect([on.found, off.found]).toEqual([true, false]);
  expect(on.lines).toEqual(off.lines);
  expect(on.due).toBe(off.due);
});

const salesOf = async (harness: StackHarness, query = '') =>
  (await harness.control<{ sales: Sale[] }>('GET', `/sales${query}`)).body.sales;

test('a finding is shown at its sale, and in a list of all (B255)', async () => {
  const shop = new Shop(await stackHarness());
  const { harness } = shop;
  await shop.paid(shop.sells(5, { key: shop.newKey(), reference: 'sale-good' }));
  for (const rule of ['blind-payment-retry', 'missing-key', 'missing-key'])
    await mistakesByRule[rule]?.(shop);
  const found = await salesOf(harness);
  expect(
    found.map(({ saleReferenceId, findings }) => [saleReferenceId, findings.map(({ rule }) => rule)]),
  ).toEqual([
    ['sale-keyless', ['missing-key']],
    ['sale-twice', ['blind-payment-retry']],
    ['sale-good', []],
  ]);
  expect(found[0]?.findings[0]?.count).toBe(2);
  expect((await salesOf(harness, '?findings=true')).map(({ saleReferenceId }) => saleReferenceId)).toEqual([
    'sale-keyless',
    'sale-twice',
  ]);
  const { body } = await harness.control<{ findings: Finding[] }>('GET', '/findings');
  expect(body.findings.map(({ rule, count }) => [rule, count])).toEqual([
    ['blind-payment-retry', 1],
    ['missing-key', 2],
  ]);
});

test('a refused request without a payment is also shown at its sale', async () => {
  const shop = new Shop(await stackHarness());
  await shop.sells(5.005, { key: shop.newKey(), reference: 'sale-refused' });
  await shop.sells(5.005, { key: shop.newKey() });
  expect((await salesOf(shop.harness)).map(({ findings }) => findings.map(({ rule }) => rule))).toEqual([
    ['refused-request'],
    ['refused-request'],
  ]);
});

test('a refused request that belongs to no sale is reported as such, and listed separately (B255)', async () => {
  const shop = new Shop(await stackHarness());
  const { harness } = shop;
  const { gateway } = harness.stack;
  const strays: string[] = [];
  gateway.onFindingWithoutSale(({ what }) => strays.push(what));
  onTestFinished(gateway.sales.listen(() => {}));
  await shop.sells(5.005, { key: shop.newKey(), reference: 'sale-refused' });
  await harness.http('POST', '/payments', {});
  await harness.http('GET', '/terminals', undefined, { authorization: 'Bearer somebody' });
  const { body } = await harness.control<{ findings: Finding[] }>('GET', '/findings?withoutSale=true');
  const refused = [
    'POST /payments was refused with 404 routeNotFound',
    'GET /terminals was refused with 401',
  ];
  expect(body.findings.map(({ what }) => what)).toEqual(refused);
  expect(strays).toEqual(refused);
  const all = await harness.control<{ findings: Finding[] }>('GET', '/findings?withoutSale=false');
  expect(all.body.findings).toHaveLength(3);
});

test('a finding about a whole sale is reported once, and counts as long as it is true (B255)', async () => {
  const { harness } = new Shop(await stackHarness());
  const { gateway } = harness.stack;
  const told: string[] = [];
  gateway.onFinding(({ rule, severity }) => told.push(`${rule} ${severity}`));
  const paid = harness.pay(8, { saleData: { saleReferenceId: 'sale-8' } }, { 'idempotency-key': 'k8' });
  await harness.until('presentCard');
  await harness.act('tap', { card: 'visa-credit' });
  await paid;
  const believe = (believes: string) =>
    harness.control('POST', '/beliefs', { saleReferenceId: 'sale-8', believes });
  await believe('notPaid');
  const { body } = await harness.control('GET', '/findings');
  expect(body).toMatchObject({
    findings: [
      {
        rule: 'wrong-belief',
        what: 'the shop believes that the sale is not paid, but the customer was charged EUR 8',
        link: 'docs/sales.md#wrong-belief',
      },
    ],
  });
  expect(told).toEqual(['wrong-belief error']);
  expect(gateway.findings.end()).toBe(1);
  await believe('paid');
  expect(gateway.findings.list()).toEqual([]);
  expect(gateway.findings.end()).toBe(0);
  expect(told).toHaveLength(1);
});

test('the stream of sales sends a finding as soon as it is found (B255)', async () => {
  const shop = new Shop(await stackHarness());
  const { sales } = shop.harness.stack.gateway;
  const seen = new Promise<Sale>((resolve) => {
    const stop = sales.listen((sale) => {
      if (sale.findings.length === 0) return;
      stop();
      resolve(sale);
    });
  });
  await mistakesByRule['missing-key']?.(shop);
  expect(await seen).toMatchObject({ saleReferenceId: 'sale-keyless', findings: [{ rule: 'missing-key' }] });
});

test('a gateway that is killed and restarted reports each cause once, and later causes too (B255, B282)', async () => {
  const data = mkdtempSync(join(tmpdir(), 'pinpad-lint-'));
  const harness = await stackHarness({ memory: false, data });
  onTestFinished(() => rmSync(data, { recursive: true }));
  const { gateway } = harness.stack;
  const told: string[] = [];
  gateway.onFinding(({ what }) => told.push(what));
  await harness.http('GET', '/nothing');
  gateway.findings.findMistakes();
  expect(told).toEqual(['GET /nothing was refused with 404 routeNotFound']);
  await harness.control('PUT', '/moments/before.accepted', { action: 'crash' });
  await expect(harness.pay(5, {}, { 'idempotency-key': 'lost' })).rejects.toThrow();
  await harness.http('GET', '/nothing');
  gateway.findings.findMistakes();
  expect(told).toHaveLength(1);
  await harness.pay(-5, {}, { 'idempotency-key': 'other' });
  expect(gateway.findings.end()).toBe(told.length);
  expect(told.at(1)).toMatch(/^POST .* was refused with 400 invalidAmount/);
  expect(new Set(told).size).toBe(told.length);
});
