import { describe, expect as plainExpect } from 'vitest';
import { startPinpad } from './start-pinpad.ts';
import { expect, test } from './vitest.ts';

test('a shopper taps, and the held request is answered', async ({ pinpad }) => {
  const sale = await pinpad.pos.pay({ amount: 12.5, reference: 'order-1' });
  await pinpad.terminal().tap('visa-credit');
  await pinpad.expect({ outcome: 'success', books: 'agree' });
  expect(sale.answer?.body).toBeApproved();
  expect(sale.answer?.body).toFit({ saleData: { saleReferenceId: 'order-1' } });
  expect((await pinpad.journal('payment.concluded')).length).toBe(1);
});

test('a point of sale in the same process is waited for, through fetch', async ({ pinpad }) => {
  const held = fetch(`${pinpad.url}/terminals/${pinpad.terminalId()}/payment-request`, {
    method: 'POST',
    headers: { authorization: `Bearer ${pinpad.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 5 } } }),
  });
  await pinpad.terminal().insert('visa-credit');
  await pinpad.terminal().pin('wrong');
  await pinpad.terminal().pin('right');
  expect(await (await held).json()).toBeApproved();
  expect(pinpad.clock.now()).toBe(Date.UTC(2026, 0, 1, 9));
});

test('an outcome that did not come says what there is instead', async ({ pinpad }) => {
  await pinpad.pos.pay({ amount: 10 });
  await pinpad.terminal().tap('not-enough-balance');
  await plainExpect(pinpad.expect({ outcome: 'success' })).rejects.toThrow(
    /answer\.body\.response\.result: expected "success", was "failure"[\s\S]*saw the answer 200/,
  );
  await plainExpect(pinpad.terminal().pin('right')).rejects.toThrow(
    /waited 10 s for the screen pin; .* shows idle/,
  );
});

describe('with other needs', () => {
  test.override({ options: { currency: 'JPY', terminals: ['counter', 'bar'] } });

  test('there are the terminals and the currency asked for', async ({ pinpad }) => {
    await pinpad.pos.pay({ amount: 1200, terminal: 'bar' });
    await pinpad.terminal('bar').tap('phone');
    await pinpad.expect({
      outcome: 'success',
      ledger: [{ kind: 'authorized', amount: 1200, currency: 'JPY' }],
    });
  });
});

test('time passes, power is cut, the gateway restarts', async () => {
  await using pinpad = await startPinpad({ keepsData: true });
  const sale = await pinpad.pos.pay({ amount: 10, key: 'order-1' });
  await pinpad.shows('presentCard');
  await pinpad.world.restartGateway();
  await pinpad.expect({ answer: 303 }, { of: sale });
  await pinpad.terminal().tap('visa-credit');
  const status = await pinpad.pos.status({ of: sale });
  await pinpad.expect({ outcome: 'success' }, { of: status, within: '60 s' });
  const second = await pinpad.pos.pay({ amount: 20 });
  await pinpad.world.power(false);
  await pinpad.clock.pass('200 s');
  await pinpad.expect({ answer: 303 }, { of: second });
  await pinpad.expect({ outcome: 'deviceOut' }, { of: await pinpad.pos.status({ of: second }) });
});
