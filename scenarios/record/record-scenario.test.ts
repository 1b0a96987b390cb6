import { describe, expect, test } from 'vitest';
import { Till } from '../../gateway/dialects/adyen/till.fixture.ts';
import { outcomesIn, recordRun, replayScenario } from './replay.fixture.ts';

const key = (value: string) => ({ 'idempotency-key': value });

describe('a recording', () => {
  test("of a till that speaks Adyen's Terminal API can be played again", async () => {
    const scenario = await recordRun(
      async (harness) => {
        const { poiId } = harness.stack.terminals[0] as { poiId: string };
        const till = new Till(
          { url: harness.stack.gateway.url, token: harness.stack.tokens[0]?.token ?? '' },
          undefined,
          poiId,
        );
        const paid = till.pay('1', 12.5, { sale: { SaleToAcquirerData: 'metadata.order=7' } });
        await harness.until('presentCard');
        await till.status('1');
        await harness.act('tap', { card: 'visa-credit' });
        await paid;
        await till.status('1');
        const second = till.pay('2', 13);
        await harness.until('presentCard');
        await till.abort('2');
        await second;
        await till.pay('3', 14, { payment: { PaymentTransaction: { AmountsReq: { Currency: 'EUR' } } } });
      },
      { adyen: true },
    );
    // A message without an amount does not become `pay`, because `pay` would send an amount.
    expect(scenario).toMatch(/- request: POST \/sync\n {4}body:/);
    expect(scenario).toContain('api: adyen');
    expect(scenario).toContain('ask status: sale');
    expect(scenario).toContain('abort: sale-2');
    expect(outcomesIn(await replayScenario(scenario))).toEqual(['success', 'aborted']);
  });

  test('of a chip payment with one wrong PIN reads like the scenario for it', async () => {
    const scenario = await recordRun(async (harness) => {
      const paid = harness.pay(12.5, { saleData: { saleReferenceId: 'order-1' } }, key('sale-key-1'));
      await harness.until('presentCard');
      await harness.act('insert', { card: 'visa-credit' });
      await harness.until('pin');
      await harness.act('press', { keys: ['9', '9', '9', '9', 'enter'] });
      await harness.act('press', { keys: ['1', '2', '3', '4', 'enter'] });
      await paid;
      await harness.act('remove');
      await harness.until('idle');
    });
    expect(scenario).toBe(`name: Recorded
description: Recorded. Write here what the scenario shows, and remove steps that do not matter.
steps:
  - pay: 12.5
    key: sale-key-1
    reference: order-1
    as: sale
  - insert: visa-credit
  - pin: wrong
  - pin: right
  - expect: success
    of: sale
  - remove
  - expect:
      screen: idle
  - expect:
      journal:
        - kind: ledger.authorized
          times: 1
        - kind: ledger.declined
          times: 0
        - kind: ledger.reversed
          times: 0
`);
    expect(outcomesIn(await replayScenario(scenario))).toEqual(['success']);
  });

  test('contains neither the PIN nor the typed card number', async () => {
    const scenario = await recordRun(async (harness) => {
      const paid = harness.pay(8);
      await harness.until('presentCard');
      await harness.act('key-in', { number: '4242424242424242', expiry: '1249' });
      await paid;
    });
    // The masked number shows which published test card was typed.
    expect(scenario).toContain('- key in: 4242424242424242');
    expect(outcomesIn(await replayScenario(scenario))).toEqual(['success']);
  });

  test('has a test card in place of one that is not in the tray', async () => {
    const scenario = await recordRun(
      async (harness) => {
        const paid = harness.pay(8);
        await harness.until('presentCard');
        await harness.act('tap', { card: 'my-own' });
        await paid;
      },
      {
        cards: [
          {
            id: 'my-own',
            label: 'My own',
            number: '5555341244441115',
            expiry: '1230',
            country: '528',
            funding: 'credit',
            applications: [{ aid: 'A0000000041010', label: 'MASTERCARD', brand: 'mc', debit: false }],
            contactless: { limit: 50, aboveLimit: 'allow' },
            keyed: true,
            note: '',
          },
        ],
      },
    );
    expect(scenario).not.toMatch(/my-own|5555341244441115|1115/);
    expect(scenario).toContain('# another card was presented');
    expect(scenario).toMatch(/- tap: mc-/);
    expect(outcomesIn(await replayScenario(scenario))).toEqual(['success']);
  });

  test('has an unreadable test card in place of a card that a reader could not read', async () => {
    const scenario = await recordRun(
      async (harness) => {
        const inserted = harness.pay(8);
        await harness.until('presentCard');
        await harness.act('insert', { card: 'reader-unreadable' });
        await harness.until('chipUnreadable');
        await harness.act('remove');
        await harness.act('press', { key: 'cancel' });
        await inserted;
        await harness.until('idle');
        const swiped = harness.pay(8);
        await harness.until('presentCard');
        await harness.act('swipe', { card: 'reader-unreadable' });
        await harness.act('press', { key: 'cancel' });
        await swiped;
      },
      {
        cards: [
          {
            id: 'reader-unreadable',
            label: 'Unreadable card',
            number: '4761739001010010',
            expiry: '1230',
            country: '840',
            funding: 'credit',
            applications: [{ aid: 'A0000000031010', label: 'VISA', brand: 'visa', debit: false }],
            chip: { verification: 'none', readable: 'no' },
            stripe: { verification: 'none', readable: false },
            keyed: false,
            note: '',
          },
        ],
      },
    );
    expect(scenario).toMatch(/- insert: chip-dead\n[\s\S]*- swipe: stripe-dead\n/);
    expect(outcomesIn(await replayScenario(scenario))).toEqual(['cancel', 'cancel']);
  });

  test('of three wrong PINs ends in the same way', async () => {
    const scenario = await recordRun(async (harness) => {
      const paid = harness.pay(12.5);
      await harness.until('presentCard');
      await harness.act('insert', { card: 'visa-credit' });
      await harness.until('pin');
      for (const _ of [1, 2, 3]) await harness.act('press', { keys: ['9', '9', '9', '9', 'enter'] });
      await paid;
      await harness.act('remove');
    });
    expect(scenario.match(/pin: wrong/g)).toHaveLength(3);
    expect(outcomesIn(await replayScenario(scenario))).toEqual(['wrongPin']);
  });

  test('of tips, selected and typed, gives the same tips', async () => {
    const scenario = await recordRun(async (harness) => {
      const first = harness.pay(20, { gratuity: { enabled: true } });
      await harness.until('tip');
      await harness.act('press', { key: '1' });
      await harness.act('tap', { card: 'visa-credit' });
      await first;
      await harness.until('idle');
      const options = [{ type: 'percentage', value: 10 }, { type: 'custom' }];
      const second = harness.pay(30, { gratuity: { enabled: true, options } });
      await harness.until('tip');
      await harness.act('press', { key: '2' });
      await harness.until('customTip');
      await harness.act('press', { keys: ['3', '5', '0', 'enter'] });
      await harness.act('tap', { card: 'visa-credit' });
      await second;
    });
    expect(scenario).toContain('tipAmount: 3\n');
    expect(scenario).toContain('- press: 3 5 0 enter');
    expect(scenario).toContain('tipAmount: 3.5');
    expect(outcomesIn(await replayScenario(scenario))).toEqual(['success', 'success']);
  });

  test('of a customer who never comes contains the time that passed', async () => {
    const scenario = await recordRun(async (harness) => {
      const paid = harness.pay(20);
      await harness.until('presentCard');
      await harness.clock.advance(120_000);
      await paid;
    });
    expect(scenario).toContain('- pass: 120 s');
    expect(outcomesIn(await replayScenario(scenario))).toEqual(['cancel']);
  });

  test('of a lost answer has the hang-up and the recovery', async () => {
    const scenario = await recordRun(async (harness) => {
      const hangUp = new AbortController();
      const body = { paymentTransaction: { amountsReq: { requestedAmount: 5 } } };
      const path = `/terminals/${harness.terminalId}/payment-request`;
      const paid = harness.http('POST', path, body, key('lost'), hangUp.signal).catch(() => undefined);
      await harness.until('presentCard');
      const received = new Promise<void>((resolve) =>
        harness.stack.runtime.journal.listen(({ kind }) => kind === 'http.hungUp' && resolve()),
      );
      hangUp.abort();
      await paid;
      await received;
      await harness.act('tap', { card: 'visa-credit' });
      await harness.until('idle');
      await harness.http('GET', '/payment-requests/status?idempotencyKey=lost');
      await harness.pay(5, {}, key('lost'));
    });
    expect(scenario).toContain('- hang up: sale');
    expect(scenario).toContain('- ask status:\n      of: sale\n      by: key');
    expect(scenario).toContain('- pay again: sale');
    expect(outcomesIn(await replayScenario(scenario))).toEqual(['success']);
  });

  test('of a power cut, an outcome that was set and two terminals runs the same', async () => {
    const scenario = await recordRun(async (harness) => {
      const first = harness.pay(10);
      await harness.until('presentCard');
      await harness.act('power', { on: false });
      await harness.act('power', { on: true });
      await harness.until('idle');
      await first;
      await harness.control('PUT', `/terminals/${harness.terminalId}/outcome`, {
        outcome: { type: 'decline' },
      });
      const second = harness.pay(10);
      await harness.until('presentCard');
      await harness.act('tap', { card: 'visa-credit' });
      await second;
      const { poiId, identifier } = harness.terminal(1);
      const third = harness.http('POST', `/terminals/${identifier}/payment-request`, {
        paymentTransaction: { amountsReq: { requestedAmount: 7 } },
      });
      await harness.control('GET', `/terminals/${poiId}/screen?until=presentCard`);
      await harness.control('POST', `/terminals/${poiId}/press`, { key: 'cancel' });
      await third;
    });
    expect(scenario).toContain('terminals:\n    - terminal-1\n    - terminal-2');
    expect(scenario).toContain('host: declines');
    expect(outcomesIn(await replayScenario(scenario))).toEqual(['deviceOut', 'refusal', 'cancel']);
  });

  test('of refused requests is refused in the same way', async () => {
    const scenario = await recordRun(async (harness) => {
      await harness.http('GET', '/terminals', undefined, { authorization: 'Bearer wrong' });
      const nowhere = '/terminals/00000000-0000-7000-8000-000000000000/payment-request';
      await harness.http('POST', nowhere, { paymentTransaction: { amountsReq: { requestedAmount: 5 } } });
      await harness.pay(-1);
      await harness.http('GET', '/payment-requests/status?idempotencyKey=never-sent');
    });
    expect(scenario).toContain('token: none');
    expect(scenario).toContain('request: POST /terminals/00000000-');
    expect(outcomesIn(await replayScenario(scenario))).toEqual([]);
  });

  test('of faults that a test set contains them, and finds the payment again', async () => {
    const scenario = await recordRun(async (harness) => {
      const path = `/terminals/${harness.terminalId}/payment-request`;
      await harness.control('POST', '/faults', { fault: 'dropAnswer', method: 'POST', path });
      const body = { paymentTransaction: { amountsReq: { requestedAmount: 5 } } };
      const paid = harness.http('POST', path, body, key('lost')).catch(() => undefined);
      await harness.until('presentCard');
      await harness.act('tap', { card: 'visa-credit' });
      await paid;
      await harness.http('GET', '/payment-requests/status?idempotencyKey=lost');
      await harness.control('POST', '/cards/visa-credit/reset');
    });
    expect(scenario).toContain('control: POST /faults');
    expect(scenario).toContain('path: /terminals/<terminal.id>/payment-request');
    expect(scenario).toContain('- reset card: visa-credit');
    expect(outcomesIn(await replayScenario(scenario))).toEqual(['success']);
  });

  test('of a power cut while the issuer decides cuts the power at that screen, for the same time', async () => {
    const scenario = await recordRun(async (harness) => {
      const outcome = { type: 'late', delayMs: 5_000 };
      await harness.control('PUT', `/terminals/${harness.terminalId}/outcome`, { outcome });
      const paid = harness.pay(10, {}, key('cut'));
      await harness.until('presentCard');
      await harness.act('tap', { card: 'visa-credit' });
      await harness.until('authorizing');
      await harness.act('power', { on: false });
      await harness.clock.advance(10_000);
      await harness.act('power', { on: true });
      await harness.until('idle');
      await paid;
    });
    expect(scenario).toContain('needs:\n  pacing: natural\n');
    expect(scenario).toMatch(/screen: authorizing\n {2}- power: off\n {2}- pass: 10 s\n {2}- power: on\n/);
    expect(outcomesIn(await replayScenario(scenario))).toEqual(['deviceOut']);
  });

  test('of a refund that fails later waits until it has failed', async () => {
    const scenario = await recordRun(async (harness) => {
      const [contact] = (
        await harness.control<{ id: string; creditCards: { id: string }[] }[]>('GET', '/contacts')
      ).body;
      const path = `/contact/${contact?.id}/creditCards/${contact?.creditCards[0]?.id}/charge`;
      const charge = { amount: 30, to_bank_account_id: 'demo-bank-account', statement: 'ORDER' };
      const { body } = await harness.http<{ debit_id: string }>('POST', path, charge);
      await harness.http('POST', `/debit/${body.debit_id}/refunds`, { amount: 30, reason: 'duplicate' });
      await harness.clock.advance(3_000);
      await harness.http('GET', `/debit/${body.debit_id}/refunds`);
    });
    expect(scenario).toMatch(/kind: refund.changed\n {8}data:\n {10}status: submitted/);
    expect((await replayScenario(scenario)).some(({ kind }) => kind === 'ledger.refunded')).toBe(true);
  });
});
