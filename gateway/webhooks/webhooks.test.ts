import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { day, hour, minute, SavedCardsHarness } from '../saved-cards/saved-cards-harness.fixture.ts';
import { type Reaction, Receiver } from './receiver.fixture.ts';
import { retrySeconds } from './retry-schedule.ts';

const open: { stop?(): Promise<void>; close?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await (each.stop?.() ?? each.close?.());
});

async function start(
  options: Parameters<typeof SavedCardsHarness.start>[0] = {},
): Promise<SavedCardsHarness> {
  const harness = await SavedCardsHarness.start({
    ...options,
    gateway: { webhookTimeoutMs: 600_000, ...options.gateway }, // virtual time waits for every answer
  });
  open.push(harness);
  return harness;
}

async function receive(react?: () => Reaction): Promise<Receiver> {
  const receiver = await Receiver.start(react);
  open.push(receiver);
  return receiver;
}

async function register(harness: SavedCardsHarness, receiver: { url: string }, more: object = {}) {
  const { status, body } = await harness.control('POST', '/control/webhooks', {
    accountId: 'shop',
    url: receiver.url,
    ...more,
  });
  expect(status).toBe(201);
  return body;
}

/** A receiver that gives no final answer. It says at once that it is working, so that virtual time moves. */
const hangs: Reaction = (response) => response.writeProcessing();
const settled = (harness: SavedCardsHarness) => harness.clock.advance(0);
const log = async (harness: SavedCardsHarness, query = '') =>
  (await harness.control('GET', `/control/webhook-deliveries?${query}`)).body;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'pinpad-webhooks-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test('an event is sent to the webhook, signed as Standard Webhooks requires (B106)', async () => {
  const harness = await start();
  const receiver = await receive();
  const webhook = await register(harness, receiver);
  const debitId = await harness.paid(12.3);
  await settled(harness);
  const [got] = receiver.received;
  const verified = new Webhook(webhook.secret).verify(
    got?.body ?? '',
    got?.headers as Record<string, string>,
  );
  expect(verified).toEqual({
    type: 'payments.debits.completed',
    timestamp: '2026-01-01T09:00:00.000Z',
    data: expect.objectContaining({ transactionId: debitId, status: 'paid', amount: '12.30' }),
  });
  const [event] = await harness.gateway.events.list({ limit: 1 });
  expect(got?.headers['webhook-id']).toBe(event?.id);
  const [delivery] = await log(harness);
  expect(delivery).toMatchObject({ state: 'delivered', eventId: event?.id, nextAttemptAt: null });
  expect(delivery.attempts).toEqual([expect.objectContaining({ status: 204, by: 'schedule', error: null })]);
});

test('an event for a failing receiver is tried by the schedule, ten times in all (B107)', async () => {
  const harness = await start();
  const receiver = await receive(() => 500);
  await register(harness, receiver);
  await harness.paid(1);
  await settled(harness);
  expect(receiver.received).toHaveLength(1);
  await harness.clock.advance(4_400);
  expect(receiver.received).toHaveLength(1);
  await harness.clock.advance(1_200);
  expect(receiver.received).toHaveLength(2);
  await harness.clock.advance(10 * day);
  expect(receiver.received).toHaveLength(10);
  const [delivery] = await log(harness);
  expect(delivery).toMatchObject({ state: 'failed', why: 'the receiver answered 500', nextAttemptAt: null });
  const times = delivery.attempts.map(({ at }: { at: string }) => Date.parse(at) / 1000);
  const gaps = times.slice(1).map((time: number, index: number) => time - times[index]);
  for (const [index, seconds] of retrySeconds.entries()) {
    expect(gaps[index]).toBeGreaterThanOrEqual(seconds * 0.9);
    expect(gaps[index]).toBeLessThanOrEqual(seconds * 1.1);
  }
  expect(gaps).not.toEqual([...retrySeconds]);
  expect(delivery.attempts[0]).toMatchObject({ answer: 'answered 500', durationMs: 0 });
  expect(harness.journal('webhook.failed')).toHaveLength(1);
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  expect(ids.size).toBe(1);
});

test('events of one resource arrive in order, and those of other resources do not wait for them (B108)', async () => {
  const harness = await start();
  const receiver = await receive();
  await register(harness, receiver);
  const debitId = await harness.paid(10);
  await settled(harness);
  receiver.react = ({ event }) => (event.type === 'payments.refunds.created' ? 503 : 204);
  const refundId = (await harness.refund(debitId, 2)).body.id;
  await settled(harness);
  await harness.clock.advance(2_000); // by then the refund is submitted
  await harness.paid(5);
  await settled(harness);
  expect(receiver.types).toEqual([
    'payments.debits.completed',
    'payments.refunds.created',
    'payments.debits.completed',
  ]);
  receiver.react = () => 204;
  await harness.clock.advance(minute);
  expect(receiver.types.slice(3)).toEqual(['payments.refunds.created', 'payments.refunds.submitted']);
  expect((await log(harness, `resourceId=${refundId}`)).map(({ state }: { state: string }) => state)).toEqual(
    ['delivered', 'delivered'],
  );
});

test('a receiver that hangs is given 15 s, and delays no other receiver', async () => {
  const harness = await start();
  const slow = await receive(() => hangs);
  const quick = await receive();
  await register(harness, slow, { id: 'slow' });
  await register(harness, quick);
  for (let count = 0; count < 12; count++) await harness.paid(1);
  await settled(harness);
  expect(quick.received).toHaveLength(12);
  await harness.clock.advance(15_000);
  const first = (await log(harness, 'webhookId=slow')).at(-1);
  expect(first.attempts).toEqual([
    expect.objectContaining({
      status: null,
      error: 'the receiver did not answer within 15000 ms',
      durationMs: 15_000,
    }),
  ]);
  slow.react = () => 200;
  await harness.clock.advance(hour);
  expect(new Set(slow.received.map(({ headers }) => headers['webhook-id'])).size).toBe(12);
  expect(await log(harness, 'webhookId=slow&state=pending')).toEqual([]);
});

test('a receiver that answers 102 Processing lets a virtual clock continue at once', async () => {
  const harness = await start();
  const receiver = await receive(() => hangs);
  await register(harness, receiver);
  await harness.paid(1);
  await harness.clock.advance(15_000);
  expect((await log(harness))[0].attempts).toMatchObject([
    { error: 'the receiver did not answer within 15000 ms' },
  ]);
});

test('an event is tried again if its receiver hangs up or cannot be reached', async () => {
  const harness = await start();
  const receiver = await receive(() => 'hangsUp');
  await register(harness, receiver);
  await harness.paid(1);
  await settled(harness);
  expect((await log(harness))[0]).toMatchObject({ state: 'pending', attempts: [{ status: null }] });
  expect((await log(harness))[0].attempts[0].error).toMatch(/hang up|ECONNRESET|closed/);
  receiver.react = () => 200;
  await harness.clock.advance(minute);
  expect((await log(harness))[0]).toMatchObject({ state: 'delivered' });
});

test('a redirect counts as an answer that is not 2xx, and is not followed (B107)', async () => {
  const harness = await start();
  const elsewhere = await receive();
  const receiver = await receive(
    () => (response) => response.writeHead(307, { location: elsewhere.url }).end(),
  );
  await register(harness, receiver);
  await harness.paid(1);
  await settled(harness);
  expect(receiver.received).toHaveLength(1);
  expect(elsewhere.received).toEqual([]);
  expect((await log(harness))[0].attempts[0].status).toBe(307);
});

test('a webhook gets only the events that it asked for (B109)', async () => {
  const harness = await start();
  const some = await receive();
  const all = await receive();
  await register(harness, some, { types: ['payments.refunds.created', 'payments.debits.failed'] });
  await register(harness, all);
  await harness.refund(await harness.paid(3), 1);
  await harness.charge(1, 'insufficient-funds');
  await settled(harness);
  expect(some.types.toSorted()).toEqual(['payments.debits.failed', 'payments.refunds.created']);
  expect(all.types).toHaveLength(3);
});

test('while a secret is rotated both secrets sign, and a day later only the new one (B106)', async () => {
  const harness = await start();
  const receiver = await receive();
  const { id, secret: former } = await register(harness, receiver);
  const { body } = await harness.control('POST', `/control/webhooks/${id}/rotate-secret`);
  expect(body.secret).not.toBe(former);
  expect(body.formerSecretUntil).toBe('2026-01-02T09:00:00.000Z');
  await harness.paid(1);
  await settled(harness);
  const verify = (secret: string, index: number) => {
    const got = receiver.received[index];
    return new Webhook(secret).verify(got?.body ?? '', got?.headers as Record<string, string>);
  };
  expect(verify(former, 0)).toEqual(verify(body.secret, 0));
  await harness.clock.advance(day);
  await harness.paid(1);
  await settled(harness);
  expect(() => verify(former, 1)).toThrow('No matching signature');
  expect(verify(body.secret, 1)).toBeDefined();
});

test('a secret that is rotated during another change is the one that signs', async () => {
  const harness = await start();
  const receiver = await receive();
  const { id } = await register(harness, receiver);
  const { webhooks } = harness.gateway;
  const [rotated] = await Promise.all([
    webhooks.rotateSecret(id),
    webhooks.update(id, { description: 'beside it' }),
  ]);
  const { secret } = rotated;
  expect(webhooks.get(id)).toMatchObject({ secret, description: 'beside it' });
});

test('two accounts that make a webhook with one id at once do not share it: one gets the id', async () => {
  const harness = await start();
  await harness.control('POST', '/control/accounts', { id: 'other', name: 'Other', currency: 'EUR' });
  const { webhooks } = harness.gateway;
  const make = (accountId: string) => webhooks.create({ id: 'mine', accountId, url: 'http://127.0.0.1:1/' });
  const [made, refused] = await Promise.allSettled([make('shop'), make('other')]);
  expect(refused).toMatchObject({ reason: { code: 'conflict' } });
  expect(made).toMatchObject({ value: webhooks.get('mine') });
});

test('410 disables a webhook and ends its waiting events, and after it is enabled it gets later events (B107)', async () => {
  const harness = await start();
  const receiver = await receive(() => 410);
  const { id } = await register(harness, receiver);
  const debitId = await harness.paid(5);
  await settled(harness);
  await harness.refund(debitId, 1);
  await harness.clock.advance(hour);
  expect(receiver.received).toHaveLength(1);
  const { body } = await harness.control('GET', `/control/webhooks/${id}`);
  expect(body).toMatchObject({ enabled: false, disabledWhy: 'the receiver answered 410 Gone' });
  receiver.react = () => 200;
  await harness.control('PATCH', `/control/webhooks/${id}`, { enabled: true });
  await harness.paid(1);
  await settled(harness);
  expect(receiver.types).toHaveLength(2);
  const states = (await log(harness)).map(({ state }: { state: string }) => state);
  expect(states).toEqual(['delivered', 'failed']);
});

test('pending deliveries end with a disabled or deleted webhook, the log stays, and nothing waits behind them', async () => {
  const harness = await start();
  const receiver = await receive(() => 500);
  const { id } = await register(harness, receiver);
  const other = await register(harness, receiver);
  const debitId = await harness.paid(5);
  await settled(harness);
  await harness.control('PATCH', `/control/webhooks/${id}`, { enabled: false });
  expect((await harness.control('DELETE', `/control/webhooks/${other.id}`)).status).toBe(204);
  await harness.clock.advance(hour);
  expect(receiver.received).toHaveLength(2);
  const why = (await log(harness)).map((delivery: { why: string }) => delivery.why).toSorted();
  expect(why).toEqual([
    'the webhook is disabled: the control API disabled the webhook',
    'the webhook was deleted',
  ]);
  receiver.react = () => 200;
  await harness.control('PATCH', `/control/webhooks/${id}`, { enabled: true });
  await harness.refund(debitId, 1);
  await settled(harness);
  expect(receiver.types.slice(2)).toEqual(['payments.refunds.created']);
});

test("the journal has the receiver's answer to a probe, or why it was not reached", async () => {
  const harness = await start();
  const receiver = await receive(() => 401);
  const { id } = await register(harness, receiver);
  expect((await harness.control('POST', `/control/webhooks/${id}/probe`)).body).toMatchObject({
    status: 401,
  });
  await receiver.close();
  expect((await harness.control('POST', `/control/webhooks/${id}/probe`)).body).toMatchObject({
    status: null,
  });
  const probes = harness.gateway.runtime.journal.since().filter(({ kind }) => kind === 'webhook.probed');
  expect(probes.map(({ data }) => data)).toEqual([
    { webhook: id, status: 401 },
    { webhook: id, error: expect.any(String) },
  ]);
});

test('any delivery can be sent again by hand, and both attempts are kept', async () => {
  const harness = await start();
  const receiver = await receive(() => 500);
  await register(harness, receiver);
  await harness.paid(5);
  await harness.clock.advance(10 * day);
  const [failed] = await log(harness);
  receiver.react = () => 202;
  const replay = () => harness.control('POST', `/control/webhook-deliveries/${failed.id}/replay`);
  const { body } = await replay();
  expect(body).toMatchObject({ state: 'delivered' });
  expect(body.attempts).toHaveLength(11);
  expect(body.attempts.at(-1)).toMatchObject({ by: 'hand', status: 202 });
  await replay();
  expect(receiver.received).toHaveLength(12);
  expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
});

test('sending the first event of a resource by hand lets the events behind it go', async () => {
  const harness = await start();
  const receiver = await receive(() => 500);
  await register(harness, receiver);
  const held = (await harness.preauthorize(5)).body.debit_id;
  await settled(harness);
  receiver.react = () => 200;
  await harness.capture(held);
  await settled(harness);
  expect(receiver.types).toEqual(['payments.debits.preauthorized']);
  await harness.control('POST', `/control/webhook-deliveries/${(await log(harness)).at(-1).id}/replay`);
  await settled(harness);
  expect(receiver.types.slice(1)).toEqual(['payments.debits.preauthorized', 'payments.debits.paid']);
});

test('events that were not delivered before a restart are still sent, at their time', async () => {
  const harness = await start({ folder: folder() });
  const receiver = await receive(() => 500);
  await register(harness, receiver);
  await harness.paid(5);
  await settled(harness);
  receiver.react = () => 200;
  await harness.restart(2_000);
  await settled(harness);
  expect(receiver.received).toHaveLength(1);
  await harness.clock.advance(minute);
  expect(receiver.received).toHaveLength(2);
  await harness.paid(5);
  await settled(harness);
  expect(receiver.received).toHaveLength(3);
});

test('events that an earlier release had not passed on are delivered from the start, each once (B107)', async () => {
  const harness = await start({ folder: folder() });
  const receiver = await receive();
  await harness.paid(5);
  await register(harness, receiver);
  const unmark = {
    update: 'events',
    where: { environment: 'sandbox' },
    set: { dispatched_at: null },
  } as const;
  await harness.gateway.store.commit([{ ...unmark, rows: 'any' }]);
  for (const _ of ['once', 'again']) {
    await harness.restart(0);
    await settled(harness);
  }
  expect(receiver.received).toHaveLength(1);
  expect(await log(harness)).toMatchObject([{ state: 'delivered', type: 'payments.debits.completed' }]);
});

test('a gateway that ends in the middle of an attempt repeats it after the next start', async () => {
  const harness = await start({ folder: folder() });
  let arrived = () => {};
  const first = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const receiver = await receive(() => {
    arrived();
    return hangs;
  });
  await register(harness, receiver);
  await harness.paid(5);
  await first;
  receiver.react = () => 200;
  await harness.restart();
  await settled(harness);
  expect(receiver.received).toHaveLength(2);
  expect((await log(harness))[0]).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] });
});

test('a webhook of another account or environment gets no event (B109)', async () => {
  const harness = await start();
  await harness.gateway.accounts.createAccount({ id: 'rival', name: 'Rival', currency: 'EUR' });
  const receiver = await receive();
  await register(harness, receiver, { accountId: 'rival' });
  await register(harness, receiver, { environment: 'production' });
  await harness.paid(5);
  await settled(harness);
  expect(receiver.received).toEqual([]);
  const taken = await register(harness, receiver, { id: 'mine' });
  const reply = await harness.control('POST', '/control/webhooks', {
    ...{ id: taken.id },
    accountId: 'rival',
    url: receiver.url,
  });
  expect(reply).toMatchObject({ status: 409, body: { error: 'conflict' } });
});

test.each([
  ['ftp://example.com/', 400],
  ['http://user:secret@example.com/', 400],
  ['no url', 400],
])('%s is not accepted as the address of a webhook', async (url, status) => {
  const harness = await start();
  const reply = await harness.control('POST', '/control/webhooks', { accountId: 'shop', url });
  expect(reply.status).toBe(status);
  expect(reply.body.details[0].path).toBe('url');
});

test('if private networks are not allowed, neither their addresses nor names of them are called', async () => {
  const rules = { allowPrivateNetworks: false, allowedNetworks: [] };
  const harness = await start({ gateway: { webhookAddresses: rules } });
  const receiver = await receive();
  const refused = await harness.control('POST', '/control/webhooks', {
    accountId: 'shop',
    url: receiver.url,
  });
  expect(refused).toMatchObject({ status: 400, body: { error: 'invalidRequest' } });
  const { id } = await register(harness, { url: receiver.url.replace('127.0.0.1', 'localhost') });
  const moved = await harness.control('PATCH', `/control/webhooks/${id}`, { url: receiver.url });
  expect(moved).toMatchObject({ status: 400, body: { error: 'invalidRequest' } });
  await harness.paid(5);
  await settled(harness);
  expect(receiver.received).toEqual([]);
  expect((await log(harness))[0].attempts[0].error).toMatch(/localhost is not allowed/);
});

test('unknown webhooks and deliveries are not found', async () => {
  const harness = await start();
  const unknown = '0191d8f0-0000-7000-8000-000000000001';
  for (const [method, path, body] of [
    ['GET', '/control/webhooks/nobody'],
    ['PATCH', '/control/webhooks/nobody', {}],
    ['DELETE', '/control/webhooks/nobody'],
    ['POST', '/control/webhooks/nobody/rotate-secret'],
    ['POST', `/control/webhook-deliveries/${unknown}/replay`],
  ] as const)
    expect((await harness.control(method, path, body)).status, path).toBe(404);
});
