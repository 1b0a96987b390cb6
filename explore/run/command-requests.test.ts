import { expect, test } from 'vitest';
import type { JournalEntry } from '../../shared/journal.ts';
import { readCommandRequests } from './command-requests.ts';

const payment = '0198f6a2-3c4d-7e5f-8a1b-2c3d4e5f6a7b';
const to = `/payment-requests/status?transactionId=${payment}`;

/**
 * Returns a journal with two requests: a payment request that is answered 303, and the point of sale's next request,
 * which asks for the outcome.
 */
function askedAfter303(path: string, headers: Record<string, string> | undefined) {
  const about = { payment };
  const entries = [
    received('r1', 'POST', '/terminals/t-1/payment-request', { 'idempotency-key': 'k' }),
    { kind: 'http.answered', ...about, data: { requestId: 'r1', status: 303, headers: { Location: to } } },
    received('r2', 'GET', path, headers),
    { kind: 'http.answered', ...about, data: { requestId: 'r2', status: 202 } },
  ];
  return readCommandRequests(
    entries.map((entry, seq) => ({ seq, at: seq, ...entry }) as unknown as JournalEntry),
  );
}

function received(requestId: string, method: string, path: string, headers: unknown) {
  return { kind: 'http.received', data: { requestId, method, path, headers } };
}

test('a redirect that an HTTP client follows by itself is recognised by its repeated headers (B393)', () => {
  expect(askedAfter303(to, { 'idempotency-key': 'k' })[1]?.followed).toBe(true);
});

test.each([
  ['asks without the key', to, undefined],
  ['asks by the key', '/payment-requests/status?idempotencyKey=k', { 'idempotency-key': 'k' }],
])('a point of sale that %s follows nothing (B393)', (_, path, headers) => {
  expect(askedAfter303(path, headers)[1]).toMatchObject({ point: 'status', told: '202' });
  expect(askedAfter303(path, headers)[1]?.followed).toBeUndefined();
});
