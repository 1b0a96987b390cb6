import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { day, SavedCardsHarness } from '../saved-cards/saved-cards-harness.fixture.ts';
import { type Reaction, Receiver } from './receiver.fixture.ts';

const completed = 'payments.debits.completed';

async function setup(react?: () => Reaction, folder?: string) {
  const harness = await SavedCardsHarness.start({
    folder,
    gateway: { webhookTimeoutMs: 600_000, lint: true },
  });
  const receiver = await Receiver.start(react);
  onTestFinished(async () => {
    await harness.stop();
    await receiver.close();
  });
  const input = { id: 'pos', accountId: 'shop', url: receiver.url };
  const { body: webhook } = await harness.control('POST', '/control/webhooks', input);
  const fault = async (body: object) => {
    const answer = await harness.control('POST', '/control/faults', body);
    expect(answer).toMatchObject({ status: 201, body });
  };
  const faults = async () => (await harness.control('GET', '/control/faults')).body;
  const deliveries = async () =>
    (await harness.control('GET', '/control/webhook-deliveries')).body.toReversed();
  /** Gives the debits of the received events, in the order of the events. */
  const cameOf = (...debits: string[]) =>
    receiver.received.map(({ event }) => debits.indexOf(event.data.transactionId));
  const settled = () => harness.clock.advance(0);
  return { harness, receiver, webhook, fault, faults, deliveries, cameOf, settled };
}

test('a doubled event arrives twice with one id and one number, and the log has both (B290)', async () => {
  const { harness, receiver, fault, deliveries, settled } = await setup();
  await fault({ fault: 'duplicateEvent' });
  await harness.paid(5);
  await settled();
  expect(receiver.types).toEqual([completed, completed]);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  const [delivery] = await deliveries();
  expect(delivery).toMatchObject({ state: 'delivered', nextAttemptAt: null });
  expect(delivery.attempts).toMatchObject([{ by: 'schedule' }, { by: 'fault', status: 204 }]);
  expect(harness.journal('webhook.attempted').map(({ data }) => data.attempt)).toEqual([1, 1]);
  expect(harness.journal('webhook.faulted').map(({ data }) => data)).toEqual([
    {
      fault: 'duplicateEvent',
      webhook: 'pos',
      delivery: delivery.id,
      event: delivery.eventId,
      type: completed,
    },
  ]);
  await harness.paid(5);
  await settled();
  expect(receiver.received).toHaveLength(3);
});

test('a copy counts if the first was refused, and changes nothing if the copy is refused (B290)', async () => {
  const answers = [500, 204, 204, 500];
  const { harness, receiver, fault, deliveries } = await setup(() => answers.shift() ?? 204);
  await fault({ fault: 'duplicateEvent', times: 2 });
  await harness.paid(1);
  await harness.clock.advance(day);
  await harness.paid(2);
  await harness.clock.advance(day);
  expect(receiver.received).toHaveLength(4);
  expect(await deliveries()).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
});

test('a lost event does not reach its receiver, and is tried again by the schedule (B290)', async () => {
  const { harness, receiver, fault, deliveries, settled } = await setup();
  await fault({ fault: 'loseEvent' });
  await harness.paid(5);
  await settled();
  expect(receiver.received).toEqual([]);
  const [delivery] = await deliveries();
  expect(delivery).toMatchObject({
    state: 'pending',
    why: 'the event was lost on its way, because a test set this fault',
  });
  expect(delivery.attempts).toMatchObject([{ by: 'schedule', status: null }]);
  await harness.clock.advance(4_400);
  expect(receiver.received).toEqual([]);
  await harness.clock.advance(1_200);
  expect(receiver.types).toEqual([completed]);
});

test('a late event arrives later by the clock, once, and later events of its resource wait for it (B290)', async () => {
  const { harness, receiver, fault, deliveries, settled } = await setup();
  await fault({ fault: 'delayEvent', delayMs: 90_000 });
  const late = (await harness.preauthorize(5)).body.debit_id;
  await settled();
  await harness.capture(late);
  const other = await harness.paid(7);
  await settled();
  expect(receiver.typesOf(late)).toEqual([]);
  expect(receiver.typesOf(other)).toEqual([completed]);
  expect((await deliveries())[0]).toMatchObject({
    why: 'a test delays the event (delayEvent)',
    attempts: [],
  });
  await harness.clock.advance(89_999);
  expect(receiver.typesOf(late)).toEqual([]);
  await harness.clock.advance(1);
  expect(receiver.typesOf(late)).toEqual(['payments.debits.preauthorized', 'payments.debits.paid']);
});

test('a fault for all events delays each of them once', async () => {
  const { harness, receiver, fault, settled } = await setup();
  await fault({ fault: 'delayEvent', delayMs: 1_000, times: null });
  await harness.paid(5);
  await settled();
  await harness.clock.advance(1_000);
  expect(receiver.types).toEqual([completed]);
});

test('an event can also arrive after the next event of its own resource (B291)', async () => {
  const { harness, receiver, fault, settled } = await setup();
  await fault({ fault: 'reorderEvents' });
  const debit = (await harness.preauthorize(5)).body.debit_id;
  await settled();
  expect(receiver.received).toEqual([]);
  await harness.capture(debit);
  await settled();
  expect(receiver.types).toEqual(['payments.debits.paid', 'payments.debits.preauthorized']);
});

test('events that wait behind one that must be overtaken are sent at once (B291)', async () => {
  const answers = [500];
  const { harness, receiver, fault, settled } = await setup(() => answers.shift() ?? 204);
  const debit = (await harness.preauthorize(5)).body.debit_id;
  await settled();
  await harness.capture(debit);
  await settled();
  await fault({ fault: 'reorderEvents' });
  await harness.clock.advance(6_000);
  expect(receiver.types.slice(1)).toEqual(['payments.debits.paid', 'payments.debits.preauthorized']);
});

test('a fault for all events makes them arrive in swapped pairs (B291)', async () => {
  const { harness, fault, cameOf, settled } = await setup();
  await fault({ fault: 'reorderEvents', times: null });
  const debits: string[] = [];
  for (const amount of [1, 2, 3, 4]) {
    debits.push(await harness.paid(amount));
    await settled();
  }
  expect(cameOf(...debits)).toEqual([1, 0, 3, 2]);
});

test('an event that nothing overtakes is sent after a minute, and later events do not wait for it (B291)', async () => {
  const { harness, receiver, fault, settled } = await setup();
  await fault({ fault: 'reorderEvents' });
  await harness.paid(1);
  await settled();
  await harness.clock.advance(59_999);
  expect(receiver.received).toEqual([]);
  await harness.clock.advance(1);
  expect(receiver.types).toEqual([completed]);
});

test('a gateway that starts again sends delayed events at its start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-event-faults-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { harness, receiver, fault, settled } = await setup(undefined, folder);
  await fault({ fault: 'reorderEvents' });
  await harness.paid(1);
  await settled();
  await harness.restart();
  await settled();
  expect(receiver.types).toEqual([completed]);
});

test('an event that waits to be overtaken ends with its webhook, and the next event is subject to faults again', async () => {
  const { harness, receiver, fault, cameOf, settled } = await setup();
  await fault({ fault: 'reorderEvents', times: null });
  await harness.paid(1);
  await settled();
  await harness.control('PATCH', '/control/webhooks/pos', { enabled: false });
  await harness.control('PATCH', '/control/webhooks/pos', { enabled: true });
  const debits = [await harness.paid(2), ''];
  await settled();
  debits[1] = await harness.paid(3);
  await settled();
  expect(cameOf(...debits)).toEqual([1, 0]);
  await harness.clock.advance(day);
  expect(receiver.received).toHaveLength(2);
});

test('a forged event follows the real one: with another amount, another id, or a wrong signature (B292)', async () => {
  const { harness, receiver, webhook, fault, deliveries, settled } = await setup();
  await fault({ fault: 'forgeEvent' });
  const debit = await harness.paid(12.3);
  await settled();
  const [genuine, forged] = receiver.received;
  expect(forged?.event).toEqual({
    ...genuine?.event,
    data: { ...genuine?.event.data, amount: '912.30' },
  });
  expect(genuine?.event.data).toMatchObject({ transactionId: debit, amount: '12.30' });
  expect(forged?.headers['webhook-id']).not.toBe(genuine?.headers['webhook-id']);
  const verify = (got: typeof genuine) =>
    new Webhook(webhook.secret).verify(got?.body ?? '', got?.headers as Record<string, string>);
  expect(() => verify(genuine)).not.toThrow();
  expect(() => verify(forged)).toThrow('No matching signature found');
  expect((await deliveries())[0].attempts).toHaveLength(1);
  expect(harness.journal('webhook.probed')).toMatchObject([
    { data: { webhook: 'pos', type: completed, status: 204, body: forged?.event } },
  ]);
});

test.each([
  ['204 is found, once', 204, ['unverified-webhook']],
  ['401 is right', 401, []],
])('a forged event that is answered with %s is recorded as such (B292)', async (_what, status, rules) => {
  const { harness, receiver, fault, settled } = await setup();
  receiver.react = ({ event }) => (event.data.amount.startsWith('9') ? status : 204);
  const told: string[] = [];
  harness.gateway.onFinding(({ rule }) => told.push(rule));
  await fault({ fault: 'forgeEvent', times: 2 });
  await harness.paid(12.3);
  await harness.paid(12.4);
  await settled();
  expect(receiver.received).toHaveLength(4);
  const { body } = await harness.control('GET', '/control/findings');
  expect(body.findings.map(({ rule }: { rule: string }) => rule)).toEqual(rules);
  expect(told).toEqual(rules);
});

test('a fault applies only to events of its account and webhook, and can let the first through (B212, B290)', async () => {
  const { harness, receiver, fault, faults, settled } = await setup();
  await fault({ fault: 'loseEvent', endpointId: 'elsewhere' });
  await fault({ fault: 'loseEvent', accountId: 'another' });
  await fault({ fault: 'dropRequest', path: '/nothing', times: null });
  await fault({ fault: 'duplicateEvent', endpointId: 'pos', accountId: 'shop', after: 1 });
  await harness.paid(1);
  await settled();
  expect(receiver.received).toHaveLength(1);
  await harness.paid(2);
  await settled();
  expect(receiver.received).toHaveLength(3);
  expect((await faults()).map(({ fault }: { fault: string }) => fault)).toEqual([
    'loseEvent',
    'loseEvent',
    'dropRequest',
  ]);
});

test('no fault applies to events of a production account (B290)', async () => {
  const { harness, receiver, fault, faults } = await setup();
  const { tokens, contacts } = harness.gateway;
  const owner = { accountId: 'shop', environment: 'production' } as const;
  const { token } = await tokens.createToken(owner);
  await harness.control('POST', '/control/webhooks', { ...owner, url: receiver.url });
  await contacts.createContact({ ...owner, id: 'live', name: 'Live' });
  await contacts.createCard('live', { id: 'live-visa', card: 'visa' });
  await contacts.createBankAccount({ ...owner, id: 'live-bank', name: 'Bank' });
  for (const kind of ['loseEvent', 'duplicateEvent', 'forgeEvent', 'reorderEvents'])
    await fault({ fault: kind, times: null });
  const body = { amount: 5, to_bank_account_id: 'live-bank', statement: 'ORDER 1' };
  const charge = '/contact/live/creditCards/live-visa/charge';
  expect((await harness.api('POST', charge, body, { token })).status).toBe(200);
  await harness.clock.advance(day);
  expect(receiver.types).toEqual([completed]);
  expect(await faults()).toHaveLength(4);
});
