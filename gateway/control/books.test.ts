import { expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { HttpServer } from '../http/server.ts';
import { endDeliveries, openServices, stopServices } from '../services.ts';
import { openGatewayStore } from '../store/store.ts';
import { bookEndpoints } from './books.ts';

const owned = { account_id: 'shop', environment: 'sandbox' } as const;
const payment = (id: string) => ({
  id,
  ...owned,
  terminal_id: 't',
  kind: 'payment' as const,
  original_id: null,
  service_id: id,
  amount: 1000,
  currency: 'EUR',
  idempotency_key: null,
  key_use: 0,
  request_hash: null,
  accepted_at: 1,
  message: '{}',
  unknown_fields: null,
  ...{ dialect: null, dialect_data: null, needs_link: null },
  pin_rule: null,
});
const result = (id: string, total: number | null) => ({
  payment_id: id,
  concluded_at: 2,
  delivered_at: 1,
  abort_requested_at: null,
  result: total === null ? ('failure' as const) : ('success' as const),
  error_condition: null,
  total,
  decided_by: 'terminal' as const,
  why: '',
  answer: '{}',
});
const entry = (
  paymentId: string,
  kind: 'authorized' | 'reversed' | 'refunded' | 'returned',
  amount: number,
) => ({
  id: `${paymentId}-${kind}`,
  ...owned,
  payment_id: paymentId,
  at: 2,
  kind,
  amount,
  currency: 'EUR',
  psp_reference: 'P',
  auth_code: null,
  error_condition: null,
  refusal_reason: null,
  message: null,
  rule: 'default',
  why: '',
});

async function setup(rows: { results: ReturnType<typeof result>[]; entries: ReturnType<typeof entry>[] }) {
  const store = await openGatewayStore({ file: ':memory:' });
  await store.write(async (db) => {
    for (const { payment_id: id } of rows.results)
      await db.insertInto('payments').values(payment(id)).execute();
    await db.insertInto('payment_results').values(rows.results).execute();
    if (rows.entries.length > 0) await db.insertInto('ledger').values(rows.entries).execute();
  });
  const runtime = createRuntime();
  const services = await openServices(runtime, store);
  const endpoints = bookEndpoints(services);
  const http = new HttpServer(
    { resources: [endpoints], authenticate: async () => undefined, controlToken: 'token' },
    runtime,
  );
  const { url } = await http.listen('127.0.0.1', 0);
  const response = await fetch(`${url}/control/books`, { headers: { authorization: 'Bearer token' } });
  const books = await response.json();
  stopServices(services);
  await http.close();
  await endDeliveries(services);
  await store.close();
  return books;
}

test('the books agree if a success moved money once and a failure none, or took it back (B133)', async () => {
  const books = await setup({
    results: [result('a', 1200), result('b', null), result('c', null)],
    entries: [entry('a', 'authorized', 1200), entry('c', 'authorized', 1000), entry('c', 'reversed', 1000)],
  });
  expect(books).toMatchObject({ agree: true, payments: 3, open: 0, differences: [] });
});

test.each([
  ['a failure for which money moved', result('a', null), [entry('a', 'authorized', 1000)], 0, 10],
  ['a success for which none did', result('a', 1000), [], 10, 0],
  ['a success of another amount', result('a', 1200), [entry('a', 'authorized', 1000)], 12, 10],
])('the books report a difference for %s', async (_name, reported, entries, reportedAmount, moved) => {
  expect(await setup({ results: [reported], entries })).toMatchObject({
    agree: false,
    differences: [{ payment: 'a', currency: 'EUR', reported: reportedAmount, moved }],
  });
});

test.each([
  ['changes what the payment moved', [entry('a', 'refunded', 500)], [15]],
  ['is balanced by another such entry', [entry('a', 'refunded', 500), entry('a', 'returned', 500)], [5, 5]],
])(
  'if a payment has an entry that gives money back and %s, no difference is invented (B495)',
  async (_name, stray, moved) => {
    const books = await setup({
      results: [result('a', 1000)],
      entries: [entry('a', 'authorized', 1000), ...stray],
    });
    expect(books).toMatchObject({
      agree: false,
      differences: moved.map((amount) => ({ payment: 'a', reported: 10, moved: amount })),
    });
  },
);
