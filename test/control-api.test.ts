import { createParser } from 'eventsource-parser';
import { afterEach, expect, test } from 'vitest';
import type { JournalEntry } from '../shared/journal.ts';
import { type ControlHarness, controlHarness } from './control-harness.ts';
import { ownCard } from './own-card.ts';
import { seededLines } from './seeded-lines.ts';

const benches: ControlHarness[] = [];
afterEach(() => Promise.all(benches.splice(0).map((harness) => harness.close())));

async function setup(...options: Parameters<typeof controlHarness>) {
  const harness = await controlHarness(...options);
  benches.push(harness);
  const at = '/control/terminals/V400m-1';
  const until = (states: string, more = '') => harness.control('GET', `${at}/screen?until=${states}${more}`);
  const act = (name: string, body?: unknown) => harness.control('POST', `${at}/${name}`, body);
  const advance = (ms: number) => harness.control('POST', '/control/clock/advance', { ms });
  return { ...harness, at, until, act, advance };
}

test('a payment by chip over HTTP is explained and in both books (B36, B102, B132)', async () => {
  const { control, pay, act, until, at } = await setup();
  const paid = pay(12.5, { gratuity: { enabled: true } });
  expect((await until('tip')).body.choices).toHaveLength(5);
  expect((await control('GET', '/control/payments')).body).toMatchObject([{ state: 'onTerminal' }]);
  expect((await act('press', { key: '1' })).body.screen.state).toBe('presentCard');
  expect((await act('insert', { card: 'visa-credit' })).body.screen.state).toBe('pin');
  await act('press', { keys: ['1', '2', '3', '4', 'enter'] });
  const result = (await paid).body;
  expect(result.response.result).toBe('success');
  await until('removeCard');
  await act('remove');
  await until('idle');

  const explained = (await control('GET', `/control/payments/${result.identifier}`)).body;
  expect(explained).toMatchObject({ state: 'concluded', decidedBy: 'host', rule: 'default', answer: result });
  expect((await control('GET', '/control/payments?terminal=V400m-1')).body[0].identifier).toBe(
    result.identifier,
  );
  const [line] = (await control('GET', `/control/ledger?payment=${result.identifier}`)).body;
  expect(line).toMatchObject({ kind: 'authorized', amount: 14.38 });
  expect((await control('GET', '/control/books')).body).toMatchObject({
    agree: true,
    payments: 1,
    open: 0,
    differences: [],
  });
  expect((await control('GET', '/control/events')).body).toEqual([]);
  expect((await control('GET', `${at}/receipts`)).body).toHaveLength(2);
  expect((await control('GET', `${at}/receipts?format=text`)).text).toContain('APPROVED');
});

test('tap, swipe and typing work too, and nothing typed is in a journal', async () => {
  const { pay, act, until, control, runtime } = await setup();
  for (const [name, body] of [
    ['tap', { card: 'visa-credit' }],
    ['swipe', { card: 'stripe-only' }],
    ['key-in', { number: '4111111111111111', expiry: '1230' }],
  ] as const) {
    const paid = pay(10);
    await until('presentCard');
    await act(name, body);
    const { response } = (await paid).body;
    expect(response.result, `${name} ${response.errorCondition}`).toBe('success');
    await until('idle');
  }
  await control('POST', '/control/cards', { ...declining, pin: '98765' });
  expect((await control('GET', '/control/cards')).text).toContain('98765');
  await control('POST', '/control/cards/mine/reset');
  const journal = JSON.stringify(runtime.journal.since());
  expect(journal).not.toContain('4111111111111111');
  expect(journal).not.toMatch(/(?<!\d)98765(?!\d)/); // the digits may be part of a time or a port
  expect(journal).not.toMatch(/"key":"\d"/);
});

const declining = {
  ...ownCard,
  contactless: {},
  host: { errorCondition: 'Refusal', refusalReason: '199 Card blocked', message: 'BLOCK_CARD' },
};

test('a card that is added can be used and describes itself, without its number', async () => {
  const { control, pay, act, until } = await setup();
  const added = await control('POST', '/control/cards', declining);
  expect(added.body).toMatchObject({ id: 'mine', maskedPan: expect.stringMatching(/\*/) });
  expect(added.text).not.toContain('4000000000000002');
  const paid = pay(10);
  await until('presentCard');
  await act('tap', { card: 'mine' });
  expect((await paid).body.response.errorCondition).toBe('refusal');
});

test('three wrong PINs block a card until it is reset (B39)', async () => {
  const { control, pay, act, until } = await setup();
  const paid = pay(10);
  await until('presentCard');
  await act('insert', { card: 'visa-credit' });
  for (let tries = 0; tries < 3; tries++) {
    await until('pin,pinWrong');
    await act('press', { keys: ['9', '9', '9', '9', 'enter'] });
  }
  expect((await paid).body.response.errorCondition).toBe('wrongPin');
  const blocked = async () =>
    (await control('GET', '/control/cards')).body.find((card: { id: string }) => card.id === 'visa-credit')
      .blocked;
  expect(await blocked()).toBe(true);
  expect((await control('POST', '/control/cards/visa-credit/reset')).body.blocked).toBe(false);
  expect(await blocked()).toBe(false);
  expect((await control('POST', '/control/cards/nobodys/reset')).status).toBe(404);
});

test('an impossible action is answered with the reason', async () => {
  const { act, control } = await setup();
  expect((await act('remove')).status).toBe(409);
  expect((await act('insert', { card: 'nobodys' })).status).toBe(404);
  expect((await act('press', { keys: [] })).status).toBe(400);
  expect((await act('press', { key: 'escape' })).status).toBe(400);
  expect((await control('POST', '/control/terminals/nobodys/tap', { card: 'visa-credit' })).body.error).toBe(
    'terminalNotFound',
  );
});

test('an invalid status for a fault is answered with the valid ones', async () => {
  const { control } = await setup();
  const { body } = await control('POST', '/control/faults', { fault: 'failAnswer', status: 408 });
  expect(body.details).toEqual([{ path: 'status', message: 'must be one of 500, 502, 503, 504' }]);
});

test('a number out of range and an invalid word are answered with the valid ones (B319)', async () => {
  const { control } = await setup();
  const { body: sales } = await control('GET', '/control/sales?limit=1001');
  expect(sales.details).toEqual([{ path: 'limit', message: 'must be at most 1000' }]);
  const { body: moment } = await control('PUT', '/control/moments/pin', { action: 'explode' });
  expect(moment.details).toEqual([
    { path: 'action', message: 'must be one of powerOff, networkOff, cutConnection, crash, pause' },
  ]);
});

const notAKey = (path: string) => ({
  path,
  message: expect.stringMatching(/^must be one of 0, .*, enter, power$/),
});

test.each([
  ['press', { key: 'escape' }, notAKey('key')],
  ['press', { keys: ['1', 'escape'] }, notAKey('keys.1')],
  [
    'press',
    {},
    { path: '', message: expect.stringMatching(/^key: must be one of .*, power, or keys: is required$/) },
  ],
  ['press', [], { path: '', message: 'must be an object, not an array' }],
  ['key-in', { number: '4111', expiry: '1230' }, { path: 'number', message: 'must be 12 to 19 digits' }],
  [
    'key-in',
    { number: '4242424242424242' },
    { path: '', message: 'expiry: is required, or card: is required' },
  ],
])('%s with %j is answered with the allowed values', async (name, body, detail) => {
  const { act } = await setup();
  expect((await act(name, body as never)).body).toMatchObject({ details: [detail] });
});

test('a terminal is found both by its identifier and by its poi_id', async () => {
  const { control, terminalId } = await setup();
  const byId = await control('GET', `/control/terminals/${terminalId}`);
  const byPoiId = await control('GET', '/control/terminals/V400m-1');
  expect(byId.body).toMatchObject({ poiId: 'V400m-1', emulated: true, connected: true, screen: 'idle' });
  expect(byId.body).toEqual(byPoiId.body);
});

test('an automatic shopper pays until removed', async () => {
  const { control, pay, at, until } = await setup();
  await control('PUT', `${at}/shopper`, { card: 'visa-credit', entry: 'ICC' });
  expect((await pay(10)).body.response.result).toBe('success');
  await until('idle');
  await control('DELETE', `${at}/shopper`);
  const waiting = pay(10);
  expect((await until('presentCard')).status).toBe(200);
  await control('POST', `${at}/press`, { key: 'cancel' });
  expect((await waiting).body.response.errorCondition).toBe('cancel');
});

test('a wait for a screen that does not come ends with the screen that is shown', async () => {
  const { until } = await setup();
  const answer = await until('pin', '&timeoutMs=50');
  expect(answer.status).toBe(409);
  expect(answer.body.message).toBe('The screen is idle, not pin, after 50 ms');
});

test('the screen is sent as text if the client asks for text', async () => {
  const { control, at } = await setup();
  const drawn = await control('GET', `${at}/screen`, undefined, { accept: 'text/plain' });
  expect(drawn.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(drawn.text).toContain('state: idle');
  expect(
    (await control('GET', `${at}/screen?format=json`, undefined, { accept: 'text/plain' })).body.state,
  ).toBe('idle');
});

test('without power the terminal is off, and it returns with the power', async () => {
  const { act, until, control } = await setup();
  expect((await act('power', { on: false })).body.screen.state).toBe('off');
  expect((await act('power', { on: false })).status).toBe(409);
  expect((await control('GET', '/control')).body.counts.connectedTerminals).toBe(0);
  await act('power', { on: true });
  expect((await until('idle')).status).toBe(200);
});

test('a terminal without network can still be operated', async () => {
  const { act, until, advance } = await setup();
  expect((await act('network', { up: false })).body.screen.state).toBe('offline');
  await act('network', { up: true });
  await advance(60_000);
  expect((await until('idle')).status).toBe(200);
});

test('outcomes can be set for the next payment, for every payment, and for the current one (B128)', async () => {
  const { control, pay, until, act, at } = await setup();
  await control('PUT', `${at}/shopper`, { card: 'visa-credit', entry: 'Contactless' });
  const result = async () => {
    const { response } = (await pay(10)).body;
    await until('idle');
    return response.errorCondition ?? response.result;
  };
  await control('PUT', `${at}/outcome`, { outcome: { type: 'decline' } });
  expect((await control('GET', '/control/outcomes')).body.set).toHaveLength(1);
  expect(await result()).toBe('refusal');
  expect(await result()).toBe('success');
  await control('PUT', `${at}/outcome`, { outcome: { type: 'decline' }, mode: 'always' });
  expect([await result(), await result()]).toEqual(['refusal', 'refusal']);
  expect((await control('DELETE', `${at}/outcome`)).status).toBe(204);
  expect(await result()).toBe('success');

  await control('DELETE', `${at}/shopper`);
  const paid = pay(10);
  await until('presentCard');
  const [{ identifier }] = (await control('GET', '/control/payments?limit=1')).body;
  const set = await control('PUT', `/control/payments/${identifier}/outcome`, {
    outcome: { type: 'decline', refusalReason: '210 Not enough balance' },
  });
  expect(set.body).toMatchObject({ scope: 'payment', subject: identifier });
  await act('tap', { card: 'visa-credit' });
  expect((await paid).body.response.errorCondition).toBe('refusal');
  const late = await control('PUT', `/control/payments/${identifier}/outcome`, {
    outcome: { type: 'approve' },
  });
  expect(late.status).toBe(409);
});

test('150 seconds and 48 hours pass at once on a virtual clock', async () => {
  const { act, pay, advance, control, token, gateway, terminalId, until } = await setup();
  await act('power', { on: false });
  const held = pay(10);
  await until('off');
  while ((await control('GET', '/control')).body.counts.openPayments === 0);
  expect((await control('GET', '/control/clock')).body).toMatchObject({
    virtual: true,
    now: '2026-01-01T09:00:00.000Z',
  });
  const moved = await advance(150_000);
  expect(moved.body.now).toBe('2026-01-01T09:02:30.000Z');
  expect(moved.body.happened.map((entry: { kind: string }) => entry.kind)).toContain('payment.concluded');
  expect((await held).status).toBe(303);
  const latest = () =>
    fetch(`${gateway.url}/terminals/${terminalId}/payment-request`, {
      headers: { authorization: `Bearer ${token}` },
    });
  expect((await latest()).status).toBe(200);
  await control('POST', '/control/clock/advance', { to: '2026-01-03T09:00:00.000Z' });
  expect((await latest()).status).toBe(404);
});

test('a real clock cannot be moved', async () => {
  const { advance, control } = await setup({});
  expect((await advance(1)).status).toBe(409);
  expect((await control('GET', '/control/clock')).body).toMatchObject({ virtual: false, nextTimer: null });
});

test('the journal is filtered, continued and followed', async () => {
  const { control, pay, until, act, gateway } = await setup();
  const { last } = (await control('GET', '/control/journal?limit=1')).body;
  const stop = new AbortController();
  const response = await fetch(`${gateway.url}/control/journal/stream?kind=payment.`, {
    headers: { authorization: `Bearer ${gateway.controlToken}`, 'last-event-id': String(last) },
    signal: stop.signal,
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const paid = pay(10);
  await until('presentCard');
  await act('press', { key: 'cancel' });
  const { identifier } = (await paid).body;
  const streamed: JournalEntry[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => {
      const entry: JournalEntry = JSON.parse(data);
      expect(id).toBe(String(entry.seq));
      streamed.push(entry);
    },
  });
  for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(
    new TextDecoderStream(),
  )) {
    parser.feed(chunk);
    if (streamed.at(-1)?.kind === 'payment.concluded') break;
  }
  stop.abort();
  const { body } = await control('GET', `/control/journal?since=${last}&payment=${identifier}&kind=payment.`);
  expect(body.entries).toEqual(streamed);
  expect(body.entries[0].kind).toBe('payment.accepted');
  const nothing = await control('GET', `/control/journal?since=${body.last}&terminal=V400m-1&kind=warning`);
  expect(nothing.body.entries).toEqual([]);
});

test('a request that only reads leaves no trace in the journal', async () => {
  const { control, runtime } = await setup();
  const before = runtime.journal.latest?.seq;
  for (const path of ['', '/terminals', '/cards', '/journal', '/clock', '/payments'])
    await control('GET', `/control${path}`);
  expect(runtime.journal.latest?.seq).toBe(before);
});

test('a quiet stream sends signs of life', async () => {
  const { gateway } = await setup({ timeouts: { heartbeatMs: 5 } });
  const response = await fetch(`${gateway.url}/control/journal/stream?kind=warning`, {
    headers: { authorization: `Bearer ${gateway.controlToken}` },
  });
  let text = '';
  for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(
    new TextDecoderStream(),
  )) {
    text += chunk;
    if (text.split(': still here').length > 2) break;
  }
  expect(text).toMatch(/^: the journal\n\n(: still here\n\n){2,}$/);
});

test('the stream of the journal ends when the gateway shuts down', async () => {
  const { gateway } = await setup();
  const response = await fetch(`${gateway.url}/control/journal/stream`, {
    headers: { authorization: `Bearer ${gateway.controlToken}` },
  });
  const text = response.text();
  await gateway.close();
  expect(await text).toContain(': the journal');
});

test('tokens and terminals can be made and deleted (B2, B112)', async () => {
  const { control, gateway } = await setup();
  const { body: made } = await control('POST', '/control/tokens', { accountId: 'shop', label: 'second' });
  const terminals = () =>
    fetch(`${gateway.url}/terminals`, { headers: { authorization: `Bearer ${made.token}` } });
  expect((await terminals()).status).toBe(200);
  const listed = await control('GET', '/control/accounts/shop/tokens');
  expect(listed.text).not.toContain(made.token);
  expect(listed.body).toHaveLength(2);
  expect((await control('DELETE', `/control/tokens/${made.id}`)).body.revokedAt).not.toBeNull();
  expect((await terminals()).status).toBe(401);
  expect((await control('PATCH', '/control/accounts/shop', { magicAmounts: false })).body.magicAmounts).toBe(
    false,
  );
  expect(
    (await control('PATCH', '/control/terminals/V400m-1', { payoutAccount: null })).body.payoutAccount,
  ).toBeNull();
  expect((await control('DELETE', '/control/terminals/V400m-1')).status).toBe(204);
  expect((await control('GET', '/control/terminals')).body).toEqual([]);
});

test('the same seed and the same actions give the same journal', async () => {
  const run = async () => {
    const harness = await setup({ clock: 'virtual', seed: 42 });
    const paid = harness.pay(12.5);
    await harness.until('presentCard');
    await harness.act('insert', { card: 'visa-credit' });
    await harness.until('pin');
    await harness.act('press', { keys: ['1', '2', '3', '4', 'enter'] });
    await paid;
    await harness.act('remove');
    await harness.until('idle');
    await harness.advance(60_000);
    return seededLines(harness.runtime.journal.since());
  };
  expect(await run()).toEqual(await run());
});
