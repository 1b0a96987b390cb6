import { expect, onTestFinished, test } from 'vitest';
import { controlHarness } from '../control-harness.ts';
import { type StackHarness, stackHarness } from '../stack/stack-harness.ts';
import { until } from '../until.ts';

/** A pause stops time. Whatever arrives meanwhile waits until the pause is over (B284). */

interface Overview {
  set: object[];
  paused: object[];
}

async function setup(moment: string) {
  const harness = await stackHarness();
  expect((await harness.control('PUT', `/moments/${moment}`, { action: 'pause' })).status).toBe(200);
  const paused = async () => (await harness.control<Overview>('GET', '/moments')).body.paused;
  const goOn = () => harness.control<Overview>('POST', '/moments/continue');
  const terminal = harness.stack.emulator?.terminal(harness.poiId);
  return { harness, paused, goOn, terminal };
}

/** Waits for this many turns of the event loop: enough for everything that does not wait. */
async function turns(count = 200): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function paysByTap(harness: StackHarness) {
  const answer = harness.pay(10);
  await until(
    'a card is asked for',
    () => harness.stack.emulator?.terminal(harness.poiId)?.state === 'presentCard',
  );
  harness.stack.emulator?.terminal(harness.poiId)?.act({ action: 'tap', card: 'visa-credit' });
  return answer;
}

test('a terminal paused in a state lets keys and time wait until it continues', async () => {
  const { harness, paused, goOn, terminal } = await setup('presentCard');
  const answer = harness.pay(10);
  await until('it is paused', () => terminal?.pausedAt === 'presentCard');
  expect(await paused()).toEqual([{ at: 'presentCard', terminal: harness.poiId }]);
  const before = harness.clock.monotonic();
  let moved = false;
  const moving = harness.clock.advance(10_000).then(() => {
    moved = true;
  });
  expect((await harness.act('tap', { card: 'visa-credit' })).body.screen.state).toBe('presentCard');
  await turns();
  expect([moved, harness.clock.monotonic(), terminal?.state]).toEqual([false, before, 'presentCard']);
  expect((await goOn()).body.paused).toEqual([]);
  await moving;
  expect((await answer).body.response.result).toBe('success');
  expect(harness.journal('moment.paused').map(({ data }) => data)).toEqual([{ at: 'presentCard' }, {}]);
});

test.each(['before.attempted', 'after.attempted', 'before.settled', 'after.settled', 'after.begun'])(
  'a terminal paused at %s continues the payment from there',
  async (moment) => {
    const { harness, paused, goOn, terminal } = await setup(moment);
    const answer = paysByTap(harness);
    await until('it is paused', () => terminal?.pausedAt !== undefined);
    expect(await paused()).toEqual([{ at: moment, terminal: harness.poiId }]);
    await turns();
    expect(terminal?.pausedAt).toBe(moment);
    await goOn();
    expect((await answer).body.response.result).toBe('success');
  },
);

test('a gateway paused before a commit has stored nothing of it, and later inputs wait', async () => {
  const { harness, paused, goOn } = await setup('before.concluded');
  const answer = paysByTap(harness);
  const { moments } = harness.stack.gateway;
  await until('it is paused', () => moments.pausedAt !== undefined);
  expect(await paused()).toEqual([{ at: 'before.concluded' }]);
  const [{ state, identifier }] = (
    await harness.control<[{ state: string; identifier: string }]>('GET', '/payments')
  ).body;
  expect(state).toBe('onTerminal');
  const aborting = harness.http('POST', '/payment-requests/abort', { transactionId: identifier });
  await turns();
  await goOn();
  expect((await answer).body.response.result).toBe('success');
  expect((await aborting).status).toBe(204);
});

const orders = [
  [
    'a charge',
    'POST',
    '/contact/demo-customer/creditCards/demo-visa/charge',
    { amount: 30, to_bank_account_id: 'demo-bank-account', statement: 'ORDER 1' },
  ],
  [
    'a payment link',
    'PUT',
    '/credit',
    {
      ...{ amount: 12.5, statement: 'DEPOSIT' },
      ...{ contact_id: 'demo-customer', from_bank_account: 'demo-bank-account' },
    },
  ],
] as const;

test.each(orders)('if the gateway is paused, %s waits, too', async (_, method, path, body) => {
  const { harness, goOn } = await setup('before.deliver');
  const paying = paysByTap(harness);
  const { moments } = harness.stack.gateway;
  await until('it is paused', () => moments.pausedAt !== undefined);
  let isAnswered = false;
  const ordering = harness.http(method, path, body).finally(() => {
    isAnswered = true;
  });
  await until('it came', () =>
    harness.journal('http.received').some(({ data }) => 'path' in data && data.path === path),
  );
  await turns();
  expect([isAnswered, harness.journal('debit.changed'), harness.journal('credit.changed')]).toEqual([
    false,
    [],
    [],
  ]);
  await goOn();
  expect((await ordering).status).toBeLessThan(300);
  await paying;
});

test.each(['before.deliver', 'after.deliver', 'before.accepted', 'after.reply', 'before.answer'])(
  'a gateway paused at %s continues until the next pause',
  async (moment) => {
    const { harness, goOn } = await setup(moment);
    await harness.control('PUT', '/moments/after.answer', { action: 'pause' });
    const answer = paysByTap(harness);
    const { moments } = harness.stack.gateway;
    await until('it is paused', () => moments.pausedAt === moment);
    await goOn();
    await until('it is paused', () => moments.pausedAt === 'after.answer');
    await goOn();
    expect((await answer).body.response.result).toBe('success');
  },
);

test('with a real clock nothing can be paused', async () => {
  const harness = await controlHarness({});
  onTestFinished(() => harness.close());
  const refused = await harness.control('PUT', '/control/moments/pin', { action: 'pause' });
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('--clock virtual')]);
});
