import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import { resolveConfig, type Stack, startStack } from '../stack/index.ts';
import {
  ApiError,
  type Clock,
  type ControlClient,
  createClient,
  createControlClient,
  type Debit,
  type PinpadClient,
  type Token,
} from './index.ts';

let stack: Stack;
let shop: PinpadClient;
let control: ControlClient;
let accountId: string;
beforeAll(async () => {
  const config = resolveConfig(undefined, { port: 0, memory: true, clock: 'virtual', seed: 1 });
  stack = await startStack(config, { terminals: false });
  shop = createClient({ url: stack.url, token: stack.tokens[0]?.token ?? '' });
  control = createControlClient({ url: stack.url, token: stack.controlToken });
  accountId = (await control.GET('/control/accounts'))[0]?.id ?? '';
});
afterAll(() => stack.close());

test('a charge and its refund, typed', async () => {
  const { data: debit } = await shop.POST('/contact/{contact_id}/creditCards/{credit_card_id}/charge', {
    params: { path: { contact_id: 'demo-customer', credit_card_id: 'demo-visa' } },
    body: { amount: 12.5, to_bank_account_id: 'demo-bank-account', statement: 'ORDER 1' },
  });
  expectTypeOf(debit).toEqualTypeOf<Debit | undefined>();
  expect(debit?.transaction_state).toBe('paid');
  const { data: refund, response } = await shop.POST('/debit/{debit_id}/refunds', {
    params: { path: { debit_id: debit?.debit_id ?? '' } },
    body: { amount: 2, reason: 'customer_request' },
  });
  expect(response.status).toBe(201);
  expect(refund).toMatchObject({ status: 'processing', amount: 2 });
});

test('an error is the envelope', async () => {
  const { error, response } = await shop.GET('/debit/{debit_id}/refunds', {
    params: { path: { debit_id: 'nobody' } },
  });
  expect(response.status).toBe(404);
  expect(error).toMatchObject({ error: 'debitNotFound' });
});

test('the control API too, with its token', async () => {
  const { data } = await createClient({ url: stack.url, token: stack.controlToken }).GET('/control/events', {
    params: { query: { limit: 1 } },
  });
  expect(data).toHaveLength(1);
});

test('a call of the control client resolves with the answer itself', async () => {
  const clock = await control.GET('/control/clock');
  expectTypeOf(clock).toEqualTypeOf<Clock>();
  expect(clock).toMatchObject({ virtual: true });
  const tokens = await control.GET('/control/accounts/{accountId}/tokens', {
    params: { path: { accountId } },
  });
  expectTypeOf(tokens).toEqualTypeOf<Token[]>();
  expect(tokens.map(({ accountId }) => accountId)).toContain(accountId);
});

test('parameters are checked by the compiler and encoded on the wire', async () => {
  const params = { path: { contactId: 'a b/ü?' } };
  await expect(control.GET('/control/contacts/{contactId}', { params })).rejects.toThrow(
    'GET /control/contacts/a%20b%2F%C3%BC%3F answered 404 contactNotFound: The contact does not exist',
  );
  // @ts-expect-error: the path's parameter is required
  await expect(control.GET('/control/contacts/{contactId}')).rejects.toThrow(ApiError);
  // @ts-expect-error: there is no such path
  await expect(control.GET('/control/nothing')).rejects.toMatchObject({ status: 404 });
});

test('a call that is refused throws what the envelope says', async () => {
  const refused = await control
    .POST('/control/clock/advance', { body: { ms: -1 } })
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect(refused).toMatchObject({
    status: 400,
    code: 'invalidRequest',
    message: expect.stringMatching(/^POST \/control\/clock\/advance answered 400 invalidRequest: .*; ms .+/),
  });
});

test('a token that no header can have is refused without being named', async () => {
  const token = 'test_0123456789\nabcdef';
  const refusal = /^the token has a line break or another character that no HTTP header can have$/;
  expect(() => createClient({ url: stack.url, token })).toThrow(refusal);
  await expect(async () =>
    createControlClient({ url: stack.url, token }).GET('/control/accounts'),
  ).rejects.toThrow(refusal);
});

test('a call without a body answers undefined, text is text', async () => {
  const made = await control.POST('/control/tokens', { body: { accountId, label: 'gone soon' } });
  const revoked = await control.call('DELETE', `/control/tokens/${made.id}`);
  expect(revoked).toMatchObject({ id: made.id, revokedAt: expect.any(String) });
  expect(await control.DELETE('/control/faults')).toBeUndefined();
});

test('a live stream is read as it comes, until its signal ends it', async () => {
  const stop = new AbortController();
  const entries = await control.stream('/control/journal/stream', {
    params: { query: { kind: 'control.' } },
    signal: stop.signal,
  });
  await control.POST('/control/contacts', { body: { accountId, name: 'Seen' } });
  expect(entries.last).toBeUndefined();
  const seen: string[] = [];
  for await (const { kind, seq } of entries) {
    seen.push(kind);
    expect(entries.last).toBe(`${seq}`);
    stop.abort();
  }
  expect(seen).toEqual(['control.changed']);
  await expect(
    control.stream('/control/journal/stream', { params: { query: { since: -1 } } }),
  ).rejects.toThrow('/control/journal/stream?since=-1 answered 400 invalidRequest');
});
