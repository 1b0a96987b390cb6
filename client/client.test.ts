import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import { resolveConfig, type Stack, startStack } from '../stack/index.ts';
import { createClient, type Debit, type PinpadClient } from './index.ts';

let stack: Stack;
let shop: PinpadClient;
let control: PinpadClient;
beforeAll(async () => {
  const config = resolveConfig(undefined, { port: 0, memory: true, clock: 'virtual', seed: 1 });
  stack = await startStack(config, { terminals: false });
  shop = createClient({ url: stack.url, token: stack.tokens[0]?.token ?? '' });
  control = createClient({ url: stack.url, token: stack.controlToken });
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
  const { data } = await control.GET('/control/events', { params: { query: { limit: 1 } } });
  expect(data).toHaveLength(1);
});
