import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

test('a point of sale in another process is waited for, though it needs longer than a moment', async ({
  pinpad,
}) => {
  const { url, token } = pinpad;
  const begun = once(spawn(process.execPath, ['--eval', sale(url, token, pinpad.terminalId())]), 'exit');
  await pinpad.terminal().tap('visa-credit');
  expect(await begun).toEqual([0, null]);
  expect(await pinpad.journal('ledger.authorized')).toHaveLength(1);
});

const sale = (url: string, token: string, terminalId: string) => `
  fetch('${url}/terminals/${terminalId}/payment-request', {
    method: 'POST',
    headers: { authorization: 'Bearer ${token}', 'content-type': 'application/json' },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 5 } } }),
  }).then(async (answer) => {
    process.exitCode = (await answer.json()).response.result === 'success' ? 0 : 1;
  });`;

test('an outcome that did not come says what there is instead', async () => {
  await using pinpad = await startPinpad({ patience: 0 });
  await pinpad.pos.pay({ amount: 10 });
  await pinpad.terminal().tap('not-enough-balance');
  await plainExpect(pinpad.expect({ outcome: 'success' })).rejects.toThrow(
    /^outcome: expected success, was refusal\nsaw the answer 200/,
  );
  await plainExpect(pinpad.terminal().pin('right')).rejects.toThrow(
    /waited 10 s for the screen pin; .* shows idle/,
  );
});

test.for([
  [{ currency: 'XXQ' }, /^currency: must be an ISO 4217 currency such as EUR, USD or JPY$/],
  [{ terminals: -1 }, /^terminals: [^\n]*$/],
  [{ terminal: 2 }, /^terminal is not known here; did you mean terminals\? Allowed: store, currency, /],
  [
    { patience: 'soon' },
    /^soon: must be a time such as 150 s, 2 min, 48 h or 7 days: a number and its unit, or/,
  ],
] as const)('%j is refused in a line', async ([options, message]) => {
  await plainExpect(startPinpad(options as object)).rejects.toThrow(message);
});

test.for(['150 seconds', 'soon', '', -5, Number.NaN, Infinity])(
  '%j is no time that can pass',
  async (time, { pinpad }) => {
    const at = pinpad.clock.now();
    await plainExpect(pinpad.clock.pass(time)).rejects.toThrow('must be a time such as 150 s');
    await plainExpect(pinpad.expect({ outcome: 'success' }, { within: time })).rejects.toThrow(
      'must be a time',
    );
    plainExpect(pinpad.clock.now()).toBe(at);
  },
);

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

test('when the gateway is back its terminals are: a point of sale need not wait for time to pass', async () => {
  await using pinpad = await startPinpad({ keepsData: true, terminals: ['counter', 'bar', 'off'] });
  await pinpad.world.power(false, 'off');
  await pinpad.world.restartGateway();
  const listed = await pinpad.control<{ connected: boolean }[]>('GET', '/terminals');
  expect(listed.map(({ connected }) => connected).sort()).toEqual([false, true, true]);
  await pinpad.world.shopper({ card: 'phone', entry: 'Contactless' }, 'bar');
  const answer = await fetch(`${pinpad.url}/terminals/${pinpad.terminalId('bar')}/payment-request`, {
    method: 'POST',
    headers: { authorization: `Bearer ${pinpad.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 5 } } }),
  });
  expect(await answer.json()).toBeApproved();
});

test('a point of sale in the same process gets its answers slowly, from the second on', async ({
  pinpad,
}) => {
  const ask = () =>
    fetch(`${pinpad.url}/terminals`, { headers: { authorization: `Bearer ${pinpad.token}` } });
  await pinpad.world.fault({ fault: 'slowAnswer', bytesPerSecond: 100 }, 'any', { after: 1, times: 2 });
  await (await ask()).json();
  const began = pinpad.clock.now();
  const slow = (await ask()).json();
  await pinpad.clock.pass('1 min');
  plainExpect(await slow).toMatchObject([{ poi_id: pinpad.terminal().poiId }]);
  plainExpect(pinpad.clock.now()).toBe(began + 60_000);
  plainExpect(await pinpad.control('GET', '/faults')).toMatchObject([{ after: 0, times: 1 }]);
});

test('time stands while an answer is held, until the point of sale has had enough of it (B215)', async ({
  pinpad,
}) => {
  await pinpad.world.fault({ fault: 'holdAnswer' }, 'GET /terminals');
  const patience = new AbortController();
  const ask = fetch(`${pinpad.url}/terminals`, {
    headers: { authorization: `Bearer ${pinpad.token}` },
    signal: patience.signal,
  });
  await pinpad.expect({ journal: [{ kind: 'fault.injected', data: { fault: 'holdAnswer' } }] });
  const began = pinpad.clock.now();
  const passing = pinpad.clock.pass('1 s');
  await pinpad.control('GET', '/clock');
  plainExpect(pinpad.clock.now()).toBe(began);
  patience.abort();
  await plainExpect(ask).rejects.toThrow('aborted');
  await passing;
  plainExpect(pinpad.clock.now()).toBe(began + 1_000);
});

test('a point of sale in the same process loses an answer, a request, its patience', async ({ pinpad }) => {
  const ask = () =>
    fetch(`${pinpad.url}/terminals`, { headers: { authorization: `Bearer ${pinpad.token}` } });
  await pinpad.world.dropAnswer('GET /terminals');
  await plainExpect(ask()).rejects.toThrow();
  await pinpad.world.dropRequest('any');
  await plainExpect(ask()).rejects.toThrow();
  await pinpad.world.failAnswer('GET /terminals', 502, 'always');
  plainExpect((await ask()).status).toBe(502);
  plainExpect((await ask()).status).toBe(502);
  await pinpad.world.clearFaults();
  await pinpad.world.delayAnswer('GET /terminals', 5_000);
  const late = ask();
  await pinpad.expect({ journal: [{ kind: 'fault.injected', data: { fault: 'delayAnswer' } }] });
  await pinpad.clock.pass('5 s');
  plainExpect((await late).status).toBe(200);
  await plainExpect(pinpad.world.dropAnswer('sell')).rejects.toThrow(/sell is not a request of the POS/);
});

test('a network that is slow or flaps only makes a payment take longer', async ({ pinpad }) => {
  await pinpad.world.slowNetwork(1_000);
  await pinpad.pos.pay({ amount: 5 });
  await pinpad.terminal().tap('phone');
  await pinpad.expect({ outcome: 'success' });
  plainExpect(pinpad.clock.now() - Date.UTC(2026, 0, 1, 9)).toBeGreaterThanOrEqual(4_000);
  await pinpad.world.slowNetwork(0);
  await pinpad.world.flapNetwork({ times: 2, downMs: 1_000, upMs: 3_000 });
  const second = await pinpad.pos.pay({ amount: 6 });
  await pinpad.terminal().tap('phone');
  await pinpad.expect({ outcome: 'success', books: 'agree' }, { of: second, within: '20 s' });
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

test('something happens at a moment of a payment', async () => {
  await using pinpad = await startPinpad({ keepsData: true });
  await pinpad.world.at('after.settled', { action: 'powerOff', backMs: 20_000 });
  const sale = await pinpad.pos.pay({ amount: 10 });
  await pinpad.terminal().tap('visa-credit');
  await pinpad.expect({ outcome: 'success' }, { of: sale, within: '60 s' });
  await pinpad.world.at('pin', { action: 'powerOff' });
  await pinpad.world.clearMoments();
  plainExpect(await pinpad.control('GET', '/moments')).toMatchObject({ set: [], paused: [] });
  await pinpad.world.at('after.authorized', { action: 'crash' });
  const second = await pinpad.pos.pay({ amount: 20, key: 'order-2' });
  await pinpad.terminal().tap('visa-credit');
  await pinpad.expect({ answer: 'lost' }, { of: second });
  const status = await pinpad.pos.status({ key: 'order-2' });
  await pinpad.expect({ outcome: 'success', books: 'agree' }, { of: status, within: '60 s' });
});

test('what another test has set for a moment at its terminal stays where this one clears its own', async () => {
  await using pinpad = await startPinpad();
  const [store] = (await pinpad.control('GET', '/stores')) as [{ id: string }];
  const other = { poiId: 'other-1', storeId: store.id };
  await pinpad.control('POST', '/terminals', other);
  const cut = { action: 'cutConnection', terminal: other.poiId };
  await pinpad.control('PUT', '/moments/after.accepted', cut);
  await pinpad.world.at('before.answer', { action: 'cutConnection' });
  const sale = await pinpad.pos.pay({ amount: 10 });
  await pinpad.terminal().tap('visa-credit');
  await pinpad.expect({ answer: 'lost' }, { of: sale });
  await pinpad.world.at('after.reply', { action: 'cutConnection' });
  await pinpad.world.clearMoments();
  plainExpect(await pinpad.control('GET', '/moments')).toMatchObject({
    set: [{ ...cut, moment: 'after.accepted' }],
  });
});

test('what is needed to go wrong does, from the first request on', async () => {
  await using pinpad = await startPinpad({ faults: [{ 'drop answer': 'pay' }] });
  const sale = await pinpad.pos.pay({ amount: 5, key: 'order-1' });
  await pinpad.terminal().tap('phone');
  await pinpad.expect({ answer: 'lost' }, { of: sale });
  await pinpad.pos.status({ key: 'order-1' });
  await pinpad.expect({ outcome: 'success' });
});

test('what happened is told in words, with what the screens said, and without the set-up (B262)', async ({
  pinpad,
}) => {
  await pinpad.pos.pay({ amount: 10, tip: true });
  await pinpad.terminal().press('2');
  await pinpad.terminal().tap('not-enough-balance');
  await pinpad.settled();
  const lines = (await pinpad.history()).split('\n');
  expect(lines[0]).toBe('09:00:00.000 POS asks POST payment-request 10');
  const [poiId] = pinpad.terminals.map((terminal) => terminal.poiId);
  expect(lines).toContain(
    `09:00:00.000 ${poiId} shows Add a tip?  €10.00  1 15% €1.50  2 18% €1.80  3 20% €2.00  4 Other  enter No tip`,
  );
  expect(lines).toContain(`09:00:00.000 ${poiId} Key 2`);
  const why = 'the terminal answers refusal: Not enough balance (210)';
  expect(lines).toContain(`09:00:00.000 ${poiId} Payment failed: refusal - ${why}`);
  expect(lines.filter((line) => /[{}]|\/control|Changed/.test(line))).toEqual([]);
});

test('a sale shows what the point of sale did, and that what the shop believes is not so (B235, B242)', async ({
  pinpad,
}) => {
  const sale = await pinpad.pos.pay({ amount: 12.5, key: 'order-1' });
  await pinpad.terminal().tap('visa-credit');
  await pinpad.expect({ outcome: 'success' });
  await pinpad.believes('paid', { of: sale, amount: 12.5, times: 1 });
  const [sold, ...others] = await pinpad.sales();
  expect(others).toEqual([]);
  expect(sold).toMatchObject({ callsText: 'POST', charged: 12.5, told: 'told', findings: [] });
  await pinpad.believes('notPaid', { idempotencyKey: 'order-1' });
  expect((await pinpad.sales({ told: 'told' }))[0]?.findings).toMatchObject([{ rule: 'wrong-belief' }]);
  await plainExpect(pinpad.believes('paid', { idempotencyKey: 'none' })).rejects.toThrow(
    'No sale matches the request',
  );
});

test('a point of sale in another process has an address for what it believes (B243)', async ({ pinpad }) => {
  await pinpad.pos.pay({ amount: 12.5, key: 'order-1' });
  await pinpad.terminal().cancel();
  await pinpad.settled();
  const stated = await fetch(pinpad.beliefsUrl ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ idempotencyKey: 'order-1', believes: 'paid' }),
  });
  expect(stated.status).toBe(201);
  expect((await pinpad.sales())[0]?.findings).toMatchObject([{ rule: 'wrong-belief' }]);
});
