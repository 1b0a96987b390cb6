import { expect, test } from 'vitest';
import { startPinpad } from './start-pinpad.ts';

/** Sends a payment request without a key, as a careless point of sale would. */
function carelessSale(url: string, token: string, terminalId: string) {
  return fetch(`${url}/terminals/${terminalId}/payment-request`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 5 } } }),
  });
}

test('lint judges the point of sale under test, not the requests of the test itself', async () => {
  await using pinpad = await startPinpad();
  await pinpad.pos.pay({ amount: 5 });
  await pinpad.terminal().tap('visa-credit');
  await pinpad.expect({ outcome: 'success' });
  expect(await pinpad.lint()).toEqual([]);
  const sold = carelessSale(pinpad.url, pinpad.token, pinpad.terminalId());
  await pinpad.terminal().tap('visa-credit');
  expect((await sold).status).toBe(200);
  expect((await pinpad.lint()).map(({ rule }) => rule)).toEqual(['missing-key']);
  const payment = (await pinpad.sales())[0]?.attempts[0]?.payment;
  await pinpad.believes('notPaid', { payment });
  expect((await pinpad.lint()).map(({ rule }) => rule)).toEqual(['missing-key', 'wrong-belief']);
});

test('a trace has everything that happened', async () => {
  await using pinpad = await startPinpad();
  const sale = await pinpad.pos.pay({ amount: 5 });
  await pinpad.terminal().tap('visa-credit');
  await pinpad.expect({ outcome: 'success' });
  const page = await pinpad.trace('A tapped card');
  expect(page).toContain('<title>A tapped card - pinpad trace</title>');
  expect(page).toContain(await sale.payment());
});
