import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { probeWebhookSignatures } from '../../stack/index.ts';
import { type StackHarness, stackHarness } from '../../test/stack/stack-harness.ts';
import { Journal } from '../journal.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { findingsText } from './findings-text.ts';
import { lintJournal } from './lint-journal.ts';
import { lintRules } from './rules.ts';

const key = (value: string) => ({ 'idempotency-key': value });

/** Returns the names of the rules that a point of sale broke. */
function found(harness: StackHarness, options?: Parameters<typeof lintJournal>[1]): string[] {
  return lintJournal(harness.journal(), options).map(({ rule }) => rule);
}

async function approve(harness: StackHarness): Promise<void> {
  await harness.until('presentCard');
  await harness.act('tap', { card: 'visa-credit' });
}

/** Resolves with the next entry of a kind. */
function journaled(harness: StackHarness, kind: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = harness.stack.runtime.journal.listen((entry) => {
      if (entry.kind !== kind) return;
      stop();
      resolve();
    });
  });
}

describe('a point of sale that does everything right', () => {
  test('has no findings', async () => {
    const harness = await stackHarness();
    const paid = harness.pay(12.5, {}, key('sale-1'));
    await approve(harness);
    await paid;
    expect(lintJournal(harness.journal())).toEqual([]);
    expect(findingsText([])).toBe('Nothing to complain about.');
  });

  test('may follow a 303 to the result', async () => {
    const harness = await stackHarness();
    await harness.act('network', { up: false });
    const paid = harness.pay(12.5, {}, key('sale-1'));
    await harness.settled();
    await harness.clock.advance(151_000);
    const { status, body } = await paid;
    expect(status).toBe(303);
    for (let status = 202; status !== 200; ) {
      const asked = harness.http('GET', `/payment-requests/status?transactionId=${body.identifier}`);
      await harness.settled();
      await harness.clock.advance(30_000);
      status = (await asked).status;
      await harness.clock.advance(1_000);
    }
    expect(found(harness)).toEqual([]);
  });

  test('may ask for the status after its connection broke, and then has only a short timeout', async () => {
    const harness = await stackHarness();
    const hangUp = new AbortController();
    const path = `/terminals/${harness.terminalId}/payment-request`;
    const body = { paymentTransaction: { amountsReq: { requestedAmount: 5 } } };
    const paid = harness.http('POST', path, body, key('sale-1'), hangUp.signal).catch(() => undefined);
    await harness.until('presentCard');
    const received = journaled(harness, 'http.hungUp');
    hangUp.abort();
    await paid;
    await received;
    await approve(harness);
    await harness.http('GET', '/payment-requests/status?idempotencyKey=sale-1');
    expect(found(harness)).toEqual(['short-timeout']);
  });
});

describe('a point of sale that has bad luck', () => {
  const lostOnTheWay = async (fault: string, then: (harness: StackHarness) => Promise<unknown>) => {
    const harness = await stackHarness();
    const path = `/terminals/${harness.terminalId}/payment-request`;
    await harness.control('POST', '/faults', { fault, method: 'POST', path });
    await harness.pay(5, {}, key('sale-1')).catch(() => undefined);
    await then(harness);
    return found(harness);
  };

  test('is not blamed for a lost request if it asks and learns that there is no payment', async () => {
    const ask = (harness: StackHarness) =>
      harness.http('GET', '/payment-requests/status?idempotencyKey=sale-1');
    expect(await lostOnTheWay('dropRequest', ask)).toEqual([]);
    expect(await lostOnTheWay('dropRequest', async () => {})).toEqual(['unknown-outcome']);
  });

  test('is not blamed for a lost request if it sends the request again', async () => {
    const again = async (harness: StackHarness) => {
      const paid = harness.pay(5, {}, key('sale-1'));
      await approve(harness);
      await paid;
    };
    expect(await lostOnTheWay('dropRequest', again)).toEqual([]);
  });

  test('is not blamed for giving up a request that the production environment refuses', async () => {
    const harness = await stackHarness();
    const { body } = await harness.control<{ token: string }>('POST', '/tokens', {
      accountId: harness.stack.tokens[0]?.account,
      environment: 'production',
    });
    const { status } = await harness.pay(5, {}, { ...key('sale-1'), authorization: `Bearer ${body.token}` });
    expect(status).toBe(501);
    expect(found(harness)).toEqual([]);
  });
});

describe('a careless point of sale', () => {
  test('is found if it sends no key', async () => {
    const harness = await stackHarness();
    const paid = harness.pay(12.5);
    await approve(harness);
    await paid;
    expect(found(harness)).toEqual(['missing-key']);
  });

  test('is found if it sends one key with two bodies', async () => {
    const harness = await stackHarness();
    const paid = harness.pay(12.5, {}, key('sale-1'));
    await approve(harness);
    await paid;
    await harness.pay(13, {}, key('sale-1'));
    const [finding] = lintJournal(harness.journal());
    expect(finding).toMatchObject({ rule: 'reused-key', what: expect.stringContaining('sale-1') });
    // The finding also lists the entry of the first request that had the key.
    const received = harness
      .journal('http.received')
      .filter(
        (entry) => entry.kind === 'http.received' && entry.data.headers?.['idempotency-key'] !== undefined,
      );
    expect(finding?.entries).toEqual(expect.arrayContaining(received.map(({ seq }) => seq)));
  });

  test('is found if it does not follow a 303', async () => {
    const harness = await stackHarness();
    await harness.act('network', { up: false });
    const paid = harness.pay(12.5, {}, key('sale-1'));
    await harness.settled();
    await harness.clock.advance(151_000);
    await paid;
    expect(found(harness, { until: harness.clock.now() })).toEqual([]);
    expect(found(harness, { until: harness.clock.now() + 120_000 })).toEqual(['ignored-303']);
    expect(found(harness)).toEqual(['ignored-303']);
  });

  test('is found if it hangs up early and does not ask for the result', async () => {
    const harness = await stackHarness();
    const hangUp = new AbortController();
    const path = `/terminals/${harness.terminalId}/payment-request`;
    const body = { paymentTransaction: { amountsReq: { requestedAmount: 5 } } };
    const paid = harness.http('POST', path, body, key('sale-1'), hangUp.signal).catch(() => undefined);
    await harness.until('presentCard');
    await harness.clock.advance(30_000);
    const received = journaled(harness, 'http.hungUp');
    hangUp.abort();
    await paid;
    await received;
    expect(found(harness)).toEqual(['unknown-outcome', 'short-timeout']);
    const [, timeout] = lintJournal(harness.journal());
    expect(timeout?.what).toContain('after 30 s; it must wait at least 190 s');
  });

  test('is found if it polls without a pause', async () => {
    const harness = await stackHarness();
    const paid = harness.pay(12.5, {}, { ...key('sale-1'), prefer: 'respond-async' });
    expect((await paid).status).toBe(202);
    const poll = async () => {
      const asked = harness.http('GET', '/payment-requests/status?idempotencyKey=sale-1');
      await harness.settled();
      await harness.clock.advance(30_000);
      return asked;
    };
    expect((await poll()).status).toBe(202);
    await harness.clock.advance(1_000);
    expect((await poll()).status).toBe(202);
    expect(found(harness, { until: harness.clock.now() })).toEqual([]);
    await poll();
    expect(found(harness, { until: harness.clock.now() })).toEqual(['fast-polling']);
  });

  test('is found if it sends unknown fields', async () => {
    const harness = await stackHarness();
    const paid = harness.pay(12.5, { saleReference: 'misspelt' }, key('sale-1'));
    await approve(harness);
    await paid;
    const [finding] = lintJournal(harness.journal());
    expect(finding).toMatchObject({ rule: 'unknown-field', what: expect.stringContaining('saleReference') });
  });

  test('is found if it sends card numbers as references and keys', async () => {
    const harness = await stackHarness();
    const sent = '4111 1111 1111 1111';
    const paid = harness.pay(12.5, { saleData: { saleReferenceId: sent } }, key('pos-4111111111111111'));
    await approve(harness);
    // The answer is not masked. It repeats the reference as the point of sale sent it (B126).
    expect((await paid).body).toMatchObject({ saleData: { saleReferenceId: sent } });
    const [finding, ...others] = lintJournal(harness.journal());
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: 'card-number-sent', severity: 'warning' });
    expect(finding?.what).toMatch(/: idempotency-key, saleData\.saleReferenceId$/);
    expect(JSON.stringify(finding)).not.toContain('1111 1111 1111');
  });

  test('is found for one key with two bodies, but not for two keys that look the same when masked', async () => {
    const harness = await stackHarness();
    for (const sent of ['4111111111111111', '4111110000091111']) {
      const paid = harness.pay(12.5, {}, key(sent));
      await approve(harness);
      await paid;
    }
    await harness.pay(13, {}, key('4111110000091111'));
    const reused = lintJournal(harness.journal()).find(({ rule }) => rule === 'reused-key');
    const received = harness
      .journal('http.received')
      .filter(
        (entry) => entry.kind === 'http.received' && entry.data.headers?.['idempotency-key'] !== undefined,
      );
    expect(reused?.entries).toContain(received[1]?.seq);
    expect(reused?.entries).not.toContain(received[0]?.seq);
  });

  test('is not blamed for the requests of others', async () => {
    const harness = await stackHarness();
    const paid = harness.pay(12.5);
    await approve(harness);
    await paid;
    expect(found(harness, { ignore: (requestId) => requestId.startsWith('bed-') })).toEqual([]);
  });
});

/**
 * Makes a journal by hand, because a real gateway does not fail in the ways that the tests need. The journal says that
 * refunds were requested, and how each request ended.
 */
function refundsJournal(...requests: [method: 'GET' | 'POST', amount: number, status: number | 'hung up'][]) {
  const clock = new VirtualClock({ startMs: 0 });
  const journal = new Journal(clock);
  for (const [index, [method, amount, status]] of requests.entries()) {
    const about = { method, path: '/debit/d1/refunds', requestId: `r${index}` };
    journal.add('http.received', { ...about, ...(method === 'POST' ? { body: { amount } } : {}) });
    if (status === 'hung up') journal.add('http.hungUp', about);
    else journal.add('http.answered', { ...about, status, durationMs: 0 });
  }
  return lintJournal(journal.since()).map(({ rule }) => rule);
}

describe('refunds', () => {
  test('are found if they are sent again after a 5xx or a hang-up without a check', () => {
    expect(refundsJournal(['POST', 5, 500], ['POST', 5, 201])).toEqual(['blind-refund-retry']);
    expect(refundsJournal(['POST', 5, 'hung up'], ['POST', 5, 201])).toEqual(['blind-refund-retry']);
  });

  test('are not found if they are sent again after a check of the list', () => {
    expect(refundsJournal(['POST', 5, 500], ['GET', 0, 200], ['POST', 5, 201])).toEqual([]);
  });

  test('are found if they are sent again after the list failed', () => {
    const rules = refundsJournal(['POST', 5, 500], ['GET', 0, 500], ['POST', 5, 201]);
    expect(rules).toEqual(['blind-refund-retry']);
  });

  test('count as different if their amounts differ', () => {
    expect(refundsJournal(['POST', 5, 500], ['POST', 6, 201])).toEqual([]);
  });

  test('are found if nobody asks for their results', () => {
    expect(refundsJournal(['POST', 5, 500])).toEqual(['unknown-outcome']);
  });
});

/** Probes a receiver of webhooks. With `verifies`, the receiver refuses messages with a wrong signature. */
async function probed(verifies: boolean): Promise<string[]> {
  const harness = await stackHarness();
  let secret = '';
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const refused = verifies && !isSigned(Buffer.concat(chunks).toString(), request.headers, secret);
    response.writeHead(refused ? 401 : 204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  harness.beforeClose(() => receiver.close());
  const { port } = receiver.address() as AddressInfo;
  const { body } = await harness.control<{ secret: string }>('POST', '/webhooks', {
    id: 'pos',
    accountId: harness.stack.tokens[0]?.account,
    url: `http://127.0.0.1:${port}/`,
  });
  secret = body.secret;
  const gateway = { url: harness.stack.url, controlToken: harness.stack.controlToken };
  expect(await probeWebhookSignatures(gateway)).toMatchObject([{ id: 'pos', verified: verifies }]);
  return found(harness);
}

function isSigned(body: string, headers: IncomingHttpHeaders, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

describe('a webhook receiver', () => {
  test('is found by a probe if it accepts a message with a wrong signature', async () => {
    expect(await probed(false)).toEqual(['unverified-webhook']);
  });

  test('is not found if it refuses such a message', async () => {
    expect(await probed(true)).toEqual([]);
  });
});

test('docs/lint.md explains every rule and its severity, and no other rule (B254)', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../docs/lint.md'), 'utf8');
  const sections = docs.matchAll(/^## `([a-z0-9-]+)`\n\n\*\*(Error|Warning)\.\*\* /gm);
  const explained = Array.from(sections, ([, id, grave]) => `${id} ${grave?.toLowerCase()}`);
  const headings = docs.match(/^## `/gm);
  expect(headings).toHaveLength(lintRules.length);
  expect(explained).toEqual(lintRules.map(({ id, severity }) => `${id} ${severity}`));
});

test('findings are reported by rule, with the reason and how to fix it', async () => {
  const harness = await stackHarness();
  for (const _ of [1, 2, 3, 4, 5, 6, 7]) await harness.pay(-1);
  const paid = harness.pay(3);
  await approve(harness);
  await paid;
  const findings = lintJournal(harness.journal());
  expect(findings.map(({ rule, count }) => [rule, count])).toEqual([
    ['refused-request', 7],
    ['missing-key', 8],
  ]);
  const text = findingsText(findings);
  expect(text).toContain('missing-key (8, warning)');
  expect(text).toContain('came without an Idempotency-Key (8 times)');
  expect(text).toContain('docs/lint.md#missing-key');
});
