import { resolveConfig, type Stack, startStack } from '../../stack/index.ts';
import type { BenchmarkPart } from '../part.ts';
import { median } from '../statistics.ts';

const stored = 10_000;
/**
 * The number of stored payments that also have entries in the journal. With five entries each, these payments almost
 * fill the journal.
 */
const journaled = 1_900;

/**
 * When nothing has happened for a moment, a gateway reads its journal in advance, which takes some time. `quietMs` is
 * longer than that moment and the reading together.
 */
const quietMs = 2_000;

/**
 * Measures how long the first page of 10 000 sales takes over HTTP. There are three cases: the first reading after a
 * quiet time, the first reading right after other requests, and a later reading.
 */
export const salesPart: BenchmarkPart = {
  name: 'sales',
  summary: 'the time for the first page of 10 000 sales',
  async run({ quick, log }) {
    const first: number[] = [];
    const unread: number[] = [];
    const known: number[] = [];
    for (let run = 0; run < (quick ? 4 : 22); run++) {
      const isQuiet = run % 2 === 0;
      const stack = await startStack(resolveConfig(undefined, { port: 0, memory: true, logLevel: 'silent' }));
      try {
        await fill(stack);
        await firstPage(stack, '/control/payments?limit=1'); // the first call loads the control API
        if (isQuiet) await new Promise((resolve) => setTimeout(resolve, quietMs));
        (isQuiet ? first : unread).push(await firstPage(stack, '/control/sales'));
        for (let look = 0; look < 5; look++) known.push(await firstPage(stack, '/control/sales'));
      } finally {
        await stack.close();
      }
    }
    const all = (list: readonly number[]) => list.map((ms) => ms.toFixed(1)).join(', ');
    log(`first look: ${all(first)} ms; amid requests: ${all(unread)} ms; later: ${all(known)} ms`);
    const aim = { atMost: 50 };
    return [
      {
        name: `the time for the first page of ${stored} sales, at the first look`,
        value: median(first),
        unit: 'ms',
        aim,
      },
      {
        name: `the time for the first page of ${stored} sales, at the first look right after the last request`,
        value: median(unread),
        unit: 'ms',
      },
      {
        name: `the time for the first page of ${stored} sales, at a later look`,
        value: median(known),
        unit: 'ms',
        aim,
      },
    ];
  },
};

async function firstPage({ url, controlToken }: Stack, path: string): Promise<number> {
  const before = performance.now();
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${controlToken}` } });
  const text = await response.text();
  const tookMs = performance.now() - before;
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  return tookMs;
}

async function fill(stack: Stack): Promise<void> {
  const payments = paymentsOf(stack);
  await store(stack, payments);
  journalAll(stack, payments.slice(-journaled));
}

function paymentsOf({ runtime: { identifiers, clock }, terminals, tokens }: Stack) {
  const terminalId = terminals[0]?.identifier ?? '';
  const owned = { account_id: tokens[0]?.account ?? '', environment: 'sandbox' } as const;
  return Array.from({ length: stored }, (_none, index) => ({
    id: identifiers.next(),
    ...owned,
    terminal_id: terminalId,
    kind: 'payment' as const,
    original_id: null,
    service_id: `${index}`,
    amount: 1250,
    currency: 'EUR',
    idempotency_key: `key-${index}`,
    key_use: 0,
    request_hash: null,
    accepted_at: clock.now(),
    message: '{"SaleData":{}}',
    unknown_fields: null,
    ...{ dialect: null, dialect_data: null, needs_link: null },
    pin_rule: null,
    sale_reference_id: `order-${index}`,
  }));
}

type Payments = ReturnType<typeof paymentsOf>;

async function store({ gateway, runtime: { clock } }: Stack, payments: Payments): Promise<void> {
  const results = payments.map(({ id }) => ({
    payment_id: id,
    concluded_at: clock.now(),
    delivered_at: clock.now(),
    abort_requested_at: null,
    result: 'success' as const,
    error_condition: null,
    total: 1250,
    decided_by: 'terminal' as const,
    why: 'the terminal answers approved',
    answer: '',
    outcome: '{}',
  }));
  await gateway.store.write(async (db) => {
    for (let from = 0; from < stored; from += 500) {
      await db
        .insertInto('payments')
        .values(payments.slice(from, from + 500))
        .execute();
      await db
        .insertInto('payment_results')
        .values(results.slice(from, from + 500))
        .execute();
    }
  });
}

function journalAll({ runtime: { journal }, terminals, tokens }: Stack, payments: Payments): void {
  const accountId = tokens[0]?.account ?? '';
  const path = `/terminals/${terminals[0]?.identifier}/payment-request`;
  const receipt = 'x'.repeat(2_500);
  for (const { id, idempotency_key: key, sale_reference_id: saleReferenceId } of payments) {
    const named = { method: 'POST', path, requestId: `request-${id}` };
    const about = { payment: id, terminal: terminals[0]?.poiId };
    const order = {
      paymentTransaction: { amountsReq: { requestedAmount: 12.5 } },
      saleData: { saleReferenceId },
    };
    const received = { ...named, headers: { 'idempotency-key': key }, accountId };
    journal.add('http.received', received, {}, { text: JSON.stringify(order) });
    const accepted = { amount: 1250, currency: 'EUR', requestId: named.requestId, idempotencyKey: key };
    journal.add('payment.accepted', { ...accepted, accountId, saleReferenceId }, about);
    const booked = { amount: 1250, currency: 'EUR', pspReference: 'p', rule: 'default' };
    journal.add('ledger.authorized', booked, about);
    journal.add('payment.concluded', { result: 'success', why: 'the terminal answers approved' }, about);
    const answer = {
      identifier: id,
      response: { result: 'success' },
      saleData: { saleReferenceId },
      receipt,
    };
    const answered = { ...named, status: 200, durationMs: 3, whole: true, outcomeOf: id };
    journal.add('http.answered', answered, {}, { text: JSON.stringify(answer) });
  }
}
