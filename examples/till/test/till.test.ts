import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Pinpad } from 'pinpad/testing';
import { expect, test } from 'pinpad/testing/vitest';
import { onTestFinished } from 'vitest';
import { tillApp } from '../src/app.ts';
import { PaymentsClient } from '../src/payments-client.ts';
import { type Sale, Sales } from '../src/sales.ts';

/** The till beside a gateway of the test's own; `store` is what survives a crash of the till. */
async function startTill(pinpad: Pinpad, store = new Map<string, Sale>()) {
  const { url, token } = pinpad;
  const sales = new Sales(new PaymentsClient({ url, token, terminalId: pinpad.terminalId() }), store);
  const server = tillApp(sales).listen(0);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sell = async (amount: number): Promise<Sale> => {
    const response = await fetch(`${address}/sales`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount }),
    });
    return (await response.json()) as Sale;
  };
  return { sales, store, sell, address };
}

test('a sale is paid by card', async ({ pinpad }) => {
  const till = await startTill(pinpad);
  const sale = till.sell(12.5);
  await pinpad.terminal().insert('visa-credit');
  await pinpad.terminal().pin('right');
  expect(await sale).toMatchObject({ amount: 12.5, state: 'paid' });
  await pinpad.expect({ books: 'agree' });
});

test('the cashier is told that the card was declined', async ({ pinpad }) => {
  const till = await startTill(pinpad);
  const sale = till.sell(12.5);
  await pinpad.terminal().tap('not-enough-balance');
  expect(await sale).toMatchObject({ state: 'notPaid', message: 'Declined. Ask for another card.' });
});

test('a customer who takes longer than 150 seconds has paid all the same', async ({ pinpad }) => {
  const till = await startTill(pinpad);
  await pinpad.world.power(false); // the terminal comes back in the last moment
  const sale = till.sell(12.5);
  await pinpad.expect({ journal: [{ kind: 'payment.accepted' }] });
  await pinpad.clock.pass('149 s');
  await pinpad.world.power(true);
  await pinpad.shows('presentCard');
  await pinpad.clock.pass('10 s');
  await pinpad.expect({ journal: [{ kind: 'http.answered', data: { status: 303 } }] });
  await pinpad.terminal().tap('visa-credit');
  expect(await sale).toMatchObject({ state: 'paid' });
});

test('the gateway restarts in the middle, and the sale is paid once', async () => {
  const { startPinpad } = await import('pinpad/testing');
  await using pinpad = await startPinpad({ keepsData: true });
  const till = await startTill(pinpad);
  const sale = till.sell(12.5);
  await pinpad.shows('presentCard');
  await pinpad.world.restartGateway();
  await pinpad.terminal().tap('visa-credit');
  // The terminal finds its way back to the gateway in its own time, which passes while the story waits.
  await pinpad.expect(
    { journal: [{ kind: 'ledger.authorized', times: 1 }], books: 'agree' },
    { within: '60 s' },
  );
  expect(await sale).toMatchObject({ state: 'paid' });
});

test('a till that crashed while the customer paid knows of it afterwards', async ({ pinpad }) => {
  const store = new Map<string, Sale>();
  const before = await startTill(pinpad, store);
  const lost = before.sales.open(12.5);
  void before.sales.pay(lost).catch(() => {}); // what it would have told nobody hears any more
  await pinpad.terminal().tap('visa-credit');
  await pinpad.shows('idle');
  store.set(lost.id, lost); // as it was on the disk when the till died: still open
  const after = await startTill(pinpad, store);
  await after.sales.recover();
  expect(after.sales.get(lost.id)).toMatchObject({ state: 'paid' });
});

test('a sale cancelled at the till is not paid', async ({ pinpad }) => {
  const till = await startTill(pinpad);
  const sale = till.sell(12.5);
  await pinpad.shows('presentCard');
  const [open] = [...till.store.values()];
  await fetch(`${till.address}/sales/${open?.id}/cancel`, { method: 'POST' });
  expect(await sale).toMatchObject({ state: 'notPaid', message: 'Cancelled at the till.' });
});
