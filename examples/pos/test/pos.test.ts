import { startPinpad } from 'pinpad/testing';
import { expect, test } from 'pinpad/testing/vitest';
import { SaleStore } from '../src/sale-store.ts';
import { makeSalesFolder, startPos, startPosProcess } from './start-pos.ts';

test('a sale is paid by card, tip and all', async ({ pinpad }) => {
  const pos = await startPos(pinpad);
  const sale = await pos.sell(12.5, { tip: true });
  expect(sale).toMatchObject({ state: 'open', message: 'At the terminal.' });
  await pinpad.terminal().tip('20%');
  await pinpad.terminal().insert('visa-credit');
  await pinpad.terminal().pin('right');
  expect(await pos.outcome(sale)).toMatchObject({ amount: 12.5, tip: 2.5, state: 'paid' });
  await pinpad.expect({ books: 'agree' });
  expect(await pinpad.lint()).toEqual([]);
});

test('the cashier sees that the card was declined', async ({ pinpad }) => {
  const pos = await startPos(pinpad);
  const sale = await pos.sell(12.5);
  await pinpad.terminal().tap('not-enough-balance');
  const declined = { state: 'notPaid', message: 'Declined. Ask for another card.' };
  expect(await pos.outcome(sale)).toMatchObject(declined);
});

test('what the service refuses is not paid', async ({ pinpad }) => {
  const pos = await startPos(pinpad);
  const sale = await pos.sell(12.345);
  expect(await pos.outcome(sale)).toMatchObject({
    state: 'notPaid',
    message: expect.stringMatching(/^Not possible: /),
  });
});

test('a customer who takes longer than 150 seconds has paid all the same', async ({ pinpad }) => {
  const pos = await startPos(pinpad);
  await pinpad.world.power(false); // the terminal is off until shortly before the time limit
  const sale = await pos.sell(12.5);
  await pinpad.expect({ journal: [{ kind: 'payment.accepted' }] });
  await pinpad.clock.pass('149 s');
  await pinpad.world.power(true);
  await pinpad.shows('presentCard');
  // The payment request is answered with 303 after 150 s, and a later status request is answered with 202.
  await pinpad.clock.pass('90 s');
  await pinpad.expect({ journal: [{ kind: 'http.answered', data: { status: 202 } }] });
  await pinpad.terminal().tap('visa-credit');
  expect(await pos.outcome(sale)).toMatchObject({ state: 'paid' });
  expect(await pinpad.lint()).toEqual([]);
});

test('the answer is lost, and the sale is paid once', async ({ pinpad }) => {
  const pos = await startPos(pinpad);
  await pinpad.world.dropAnswer('pay');
  const sale = await pos.sell(12.5);
  await pinpad.terminal().tap('visa-credit');
  expect(await pos.outcome(sale)).toMatchObject({ state: 'paid' });
  await pinpad.expect({ journal: [{ kind: 'ledger.authorized', times: 1 }], books: 'agree' });
  expect(await pinpad.lint()).toEqual([]);
});

test('the gateway restarts in the middle, and the sale is paid once', async () => {
  await using pinpad = await startPinpad({ keepsData: true });
  const pos = await startPos(pinpad);
  const sale = await pos.sell(12.5);
  await pinpad.shows('presentCard');
  await pinpad.world.restartGateway();
  await pinpad.terminal().tap('visa-credit');
  await pinpad.expect({ journal: [{ kind: 'ledger.authorized', times: 1 }], books: 'agree' });
  expect(await pos.outcome(sale)).toMatchObject({ state: 'paid' });
});

test('a POS that is killed while the customer pays knows of it afterwards', async ({ pinpad }) => {
  const folder = makeSalesFolder();
  const before = await startPosProcess(pinpad, folder);
  const sale = await before.cashier.sell(12.5);
  await pinpad.shows('presentCard');
  await before.kill();
  await pinpad.terminal().tap('visa-credit');
  await pinpad.shows('idle');
  const after = await startPosProcess(pinpad, folder);
  expect(await after.cashier.outcome(sale)).toMatchObject({ state: 'paid', message: 'Paid.' });
  await pinpad.expect({ journal: [{ kind: 'ledger.authorized', times: 1 }], books: 'agree' });
  expect(await pinpad.lint()).not.toFit({ contains: { rule: 'unknown-outcome' } });
});

test('a POS that was killed before it sent anything charges nothing', async ({ pinpad }) => {
  const folder = makeSalesFolder();
  const sale = { id: 'sale-1', amount: 12.5, key: 'key-1', state: 'open', message: '' } as const;
  new SaleStore(folder).put(sale);
  const pos = await startPos(pinpad, folder);
  expect(await pos.outcome(sale)).toMatchObject({ state: 'notPaid', message: 'Cancelled at the POS.' });
  await pinpad.expect({ journal: [{ kind: 'ledger.authorized', times: 0 }], books: 'agree' });
});

test('a request that arrives after its POS was killed and came back charges nothing', async ({ pinpad }) => {
  const folder = makeSalesFolder();
  const sale = { id: 'sale-1', amount: 12.5, key: 'key-1', state: 'open', message: '' } as const;
  new SaleStore(folder).put(sale);
  const pos = await startPos(pinpad, folder);
  expect(await pos.outcome(sale)).toMatchObject({ state: 'notPaid' });
  const late = await fetch(`${pinpad.url}/terminals/${pinpad.terminalId()}/payment-request`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${pinpad.token}`,
      'content-type': 'application/json',
      'idempotency-key': sale.key,
      prefer: 'respond-async', // if the gateway wrongly begins this payment, its answer must not wait for a card
    },
    body: JSON.stringify({
      paymentTransaction: { amountsReq: { requestedAmount: sale.amount } },
      saleData: { saleReferenceId: sale.id },
    }),
  });
  expect(await pinpad.control('GET', '/books')).toMatchObject({ open: 0 });
  const status = await fetch(new URL(late.headers.get('location') ?? '', pinpad.url), {
    headers: { authorization: `Bearer ${pinpad.token}` },
  });
  expect(await status.json()).toMatchObject({ response: { result: 'failure', errorCondition: 'aborted' } });
  await pinpad.expect({ journal: [{ kind: 'ledger.authorized', times: 0 }], books: 'agree' });
});

test('a sale cancelled at the POS is not paid', async ({ pinpad }) => {
  const pos = await startPos(pinpad);
  const sale = await pos.sell(12.5);
  await pinpad.shows('presentCard');
  expect((await pos.cancel(sale)).status).toBe(202);
  expect(await pos.outcome(sale)).toMatchObject({ state: 'notPaid', message: 'Cancelled at the POS.' });
});

test('a cancellation that comes too late does not hide that the customer paid', async ({ pinpad }) => {
  const pos = await startPos(pinpad);
  await pinpad.host({ type: 'late', delayMs: 5_000 });
  const sale = await pos.sell(12.5);
  await pinpad.terminal().tap('visa-credit');
  await pinpad.shows('authorizing');
  expect((await pos.cancel(sale)).status).toBe(202);
  await pinpad.clock.pass('5 s');
  const paid = { state: 'paid', message: 'Paid: the cancellation came too late.' };
  expect(await pos.outcome(sale)).toMatchObject(paid);
});

test('while the outcome is unknown, the sale stays open until it is checked', async ({ pinpad }) => {
  const pos = await startPos(pinpad);
  await pinpad.world.failAnswer('any', 503, 'always');
  const sale = await pos.sell(12.5);
  await pinpad.terminal().tap('visa-credit');
  expect(await pos.outcome(sale)).toMatchObject({
    state: 'open',
    message: expect.stringMatching(/^It is not known yet/),
  });
  await pinpad.world.clearFaults();
  await pos.check(sale);
  expect(await pos.outcome(sale)).toMatchObject({ state: 'paid' });
});

test('a sale whose outcome is unknown is followed again when it is cancelled', async ({ pinpad }) => {
  const pos = await startPos(pinpad);
  await pinpad.world.failAnswer('any', 503, 'always');
  const sale = await pos.sell(12.5);
  await pinpad.terminal().tap('visa-credit');
  expect(await pos.outcome(sale)).toMatchObject({ state: 'open' });
  expect((await pos.cancel(sale)).ok).toBe(false);
  expect(await pos.outcome(sale)).toMatchObject({
    state: 'open',
    message: expect.stringMatching(/^It is not known yet/),
  });
  await pinpad.world.clearFaults();
  expect((await pos.cancel(sale)).status).toBe(202);
  const paid = { state: 'paid', message: 'Paid: the cancellation came too late.' };
  expect(await pos.outcome(sale)).toMatchObject(paid);
});
