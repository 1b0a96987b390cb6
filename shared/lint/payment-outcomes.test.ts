import { describe, expect, test } from 'vitest';
import { type StackHarness, stackHarness } from '../../test/stack/stack-harness.ts';
import type { Sale } from '../sales/sale.ts';
import { lintJournal } from './lint-journal.ts';

const key = (value: string) => ({ 'idempotency-key': value });
const sale = { saleData: { saleReferenceId: 'sale-1' } };

function findings(harness: StackHarness) {
  return lintJournal(harness.journal());
}
const rules = (harness: StackHarness) => findings(harness).map(({ rule }) => rule);

async function approve(harness: StackHarness): Promise<void> {
  await harness.until('presentCard');
  await harness.act('tap', { card: 'visa-credit' });
}

async function loses(harness: StackHarness, fault: string, more: object = {}): Promise<void> {
  const path = `/terminals/${harness.terminalId}/payment-request`;
  await harness.control('POST', '/faults', { fault, method: 'POST', path, ...more });
}

/** A payment that is approved, but whose answer is lost. */
async function paidUnheard(harness: StackHarness, body: object, headers: Record<string, string>) {
  await loses(harness, 'dropAnswer');
  const paid = harness.pay(5, body, headers).catch(() => undefined);
  await approve(harness);
  await paid;
  await harness.until('idle');
}

const ask = (harness: StackHarness, of = 'sale-1') =>
  harness.http('GET', `/payment-requests/status?idempotencyKey=${of}`);

describe('a payment whose answer was lost (B251)', () => {
  test('is reported as paid twice if it is begun again with another key', async () => {
    const harness = await stackHarness();
    await paidUnheard(harness, sale, key('one'));
    const again = harness.pay(5, sale, key('two'));
    await approve(harness);
    await again;
    expect(findings(harness)).toMatchObject([
      {
        rule: 'blind-payment-retry',
        severity: 'error',
        count: 1,
        link: 'docs/lint.md#blind-payment-retry',
        what: 'the customer paid twice: sale sale-1 was requested again with a new key, two, while the outcome of the earlier request with the key one was not known',
      },
    ]);
  });

  test('counts as retried even while it is open, if it is begun at another terminal', async () => {
    const harness = await stackHarness();
    const first = harness.pay(5, sale, key('one'));
    await harness.until('presentCard');
    const store = harness.stack.gateway.terminals.byPoiId(harness.poiId)?.store;
    const { body: other } = await harness.control<{ id: string }>('POST', '/terminals', {
      poiId: 'V400m-2',
      storeId: store?.id,
    });
    const body = { paymentTransaction: { amountsReq: { requestedAmount: 5 } }, ...sale };
    const path = `/terminals/${other.id}/payment-request`;
    const second = harness.http('POST', path, body, key('two'));
    await approve(harness);
    await first;
    // By then the gateway has answered the second request, although the second terminal is off.
    await harness.clock.advance(151_000);
    await second;
    expect(rules(harness)).toContain('blind-payment-retry');
  });

  test('is recognised by its body and terminal if it is begun again without a reference', async () => {
    const harness = await stackHarness();
    await paidUnheard(harness, {}, key('one'));
    const other = harness.pay(6, {}, key('other'));
    await approve(harness);
    await other;
    expect(rules(harness)).toEqual(['unknown-outcome']);
    await harness.until('idle');
    const again = harness.pay(5, {}, key('two'));
    await approve(harness);
    await again;
    expect(rules(harness)).toEqual(['blind-payment-retry']);
  });

  test('counts as another customer’s if the same amount is paid at the terminal later', async () => {
    const harness = await stackHarness();
    await paidUnheard(harness, {}, key('one'));
    await harness.clock.advance(11 * 60_000);
    const other = harness.pay(5, {}, key('two'));
    await approve(harness);
    await other;
    expect(rules(harness)).toEqual(['unknown-outcome']);
  });

  test('is not reported as paid twice if more than 20 payments share its reference (B237)', async () => {
    const harness = await stackHarness();
    for (let count = 0; count < 20; count++) {
      const paid = harness.pay(6, sale, key(`other-${count}`));
      await approve(harness);
      await paid;
      await harness.until('idle');
    }
    await paidUnheard(harness, sale, key('one'));
    const other = harness.pay(6, sale, key('two'));
    await approve(harness);
    await other;
    expect(rules(harness)).toEqual(['unknown-outcome']);
    const { findings } = harness.stack.gateway;
    findings.end();
    expect(findings.list().map(({ rule }) => rule)).toEqual(['unknown-outcome', 'shared-reference']);
  });

  test('may be asked for with the same key, and then be paid again', async () => {
    const harness = await stackHarness();
    await paidUnheard(harness, sale, key('one'));
    await harness.pay(5, sale, key('one'));
    const further = harness.pay(7, sale, key('two'));
    await approve(harness);
    await further;
    expect(rules(harness)).toEqual([]);
  });

  test('may be asked for by its status, and then be paid again', async () => {
    const harness = await stackHarness();
    await paidUnheard(harness, sale, key('one'));
    expect((await ask(harness, 'one')).status).toBe(200);
    const further = harness.pay(7, sale, key('two'));
    await approve(harness);
    await further;
    expect(rules(harness)).toEqual([]);
  });
});

test('a late request without a key or a reference is recognised as paid twice, and belongs to its sale (B400)', async () => {
  const harness = await stackHarness();
  await loses(harness, 'delayRequest', { delayMs: 3_000 });
  await harness.pay(5).catch(() => undefined);
  const again = harness.pay(5);
  await approve(harness);
  await again;
  await harness.until('idle');
  await harness.clock.advance(3_000);
  await approve(harness);
  await harness.until('idle');
  const [finding] = findings(harness);
  expect(finding?.what).toMatch(/^the customer paid twice: the same payment at terminal/);
  const { body } = await harness.control<{ sales: Sale[] }>('GET', '/sales');
  expect(body.sales.map(({ callsText, told, charged }) => ({ callsText, told, charged }))).toEqual([
    { callsText: 'POST lost', told: 'untold', charged: 5 },
    { callsText: 'POST', told: 'told', charged: 5 },
  ]);
});

test('a 404 proves nothing: after a new key the customer pays twice if the first request arrives late (B251)', async () => {
  const harness = await stackHarness();
  await loses(harness, 'delayRequest', { delayMs: 3_000 });
  await harness.pay(5, sale, key('one')).catch(() => undefined);
  expect((await ask(harness, 'one')).status).toBe(404);
  const again = harness.pay(5, sale, key('two'));
  await approve(harness);
  await again;
  await harness.until('idle');
  await harness.clock.advance(3_000);
  await approve(harness);
  await harness.until('idle');
  const [finding, ...others] = findings(harness);
  expect(others).toEqual([]);
  expect(finding?.what).toMatch(
    /^the customer paid twice: .* after a 404, although the earlier request with the key one may still arrive$/,
  );
});

describe('a payment that the POS asked about (B252)', () => {
  test('is found if the POS gave it up after a 404 and it arrived later', async () => {
    const harness = await stackHarness();
    await loses(harness, 'delayRequest', { delayMs: 3_000 });
    await harness.pay(5, sale, key('sale-1')).catch(() => undefined);
    expect((await ask(harness)).status).toBe(404);
    expect(rules(harness)).toEqual([]);
    await harness.clock.advance(3_000);
    await approve(harness);
    await harness.until('idle');
    expect(findings(harness)).toMatchObject([
      { rule: 'stopped-asking', what: expect.stringMatching(/got a 404, .* ended as success$/) },
    ]);
  });

  test('is found if the POS gave it up while it was under way, once its result is there', async () => {
    const harness = await stackHarness();
    await loses(harness, 'failAnswer');
    const paid = harness.pay(5, sale, { ...key('sale-1'), prefer: 'respond-async' });
    expect((await paid).status).toBe(503);
    const asked = ask(harness);
    await harness.settled();
    await harness.clock.advance(30_000);
    expect((await asked).status).toBe(202);
    expect(rules(harness)).toEqual(['unknown-outcome']);
    await approve(harness);
    await harness.until('idle');
    expect(rules(harness)).toEqual(['stopped-asking']);
    await harness.clock.advance(1_000);
    await ask(harness);
    expect(rules(harness)).toEqual([]);
  });
});

describe('the effect of a test on a request', () => {
  test('is not blamed on the POS: a connection that is cut, an answer that is cut short', async () => {
    const harness = await stackHarness();
    await loses(harness, 'cutAnswer', { afterMs: 10_000 });
    const cut = harness.pay(5, sale, key('sale-1')).catch(() => undefined);
    await harness.until('presentCard');
    await harness.clock.advance(10_000);
    await cut;
    await approve(harness);
    await harness.until('idle');
    await loses(harness, 'truncateAnswer', { bytes: 10 });
    await harness.pay(5, sale, key('sale-1')).catch(() => undefined);
    expect(rules(harness)).toEqual(['unknown-outcome']);
    await ask(harness);
    expect(rules(harness)).toEqual([]);
  });

  test('does not count as a request of the POS: the copy of a doubled request', async () => {
    const harness = await stackHarness();
    await loses(harness, 'duplicateRequest');
    const paid = harness.pay(5, sale);
    await approve(harness);
    await harness.until('idle', 'presentCard');
    await harness.settled();
    await harness.clock.advance(150_000);
    await paid;
    expect(findings(harness).map(({ rule, count }) => [rule, count])).toEqual([['missing-key', 1]]);
  });
});
