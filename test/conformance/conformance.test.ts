import { expect, test } from 'vitest';
import { loadOpenapiDocument } from '../../gateway/index.ts';
import { type Exchange, makeConformanceCheck, type OpenapiDocument } from './conformance.ts';

const conforms = makeConformanceCheck((await loadOpenapiDocument()) as OpenapiDocument, [
  '/pay/assets/{file}',
]);
const contact = '/contact/robin/creditCards/visa/charge';
const debit = '0191d8f0-0000-7000-8000-000000000001';
const paid = {
  debit_id: debit,
  amount: 10,
  statement: 'ORDER 1',
  to_bank_account_id: 'bank',
  contact_id: 'robin',
  from_credit_card_id: 'visa',
  transaction_state: 'paid',
};
const charge = { amount: 10, to_bank_account_id: 'bank', statement: 'ORDER 1' };

function faults(changes: Partial<Omit<Exchange, 'body'>> & { body?: unknown; asks?: unknown } = {}): string {
  const { body = paid, asks = charge, ...more } = changes;
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const found = conforms({
    method: 'POST',
    target: contact,
    requestHeaders: {},
    requestBody: text(asks),
    status: 200,
    headers: { 'request-id': 'r', 'content-type': 'application/json' },
    ...more,
    body: text(body),
  });
  return found.map((fault) => fault.split('\n')[0]).join('; ');
}

test('traffic that is described passes', () => {
  expect(faults()).toBe('');
  expect(faults({ target: `http://gateway${contact}` })).toBe('');
  expect(faults({ method: 'GET', target: '/pay/assets/page.css', headers: {}, body: 'a {}', asks: '' })).toBe(
    '',
  );
});

test.each([
  ['an answer that lacks a field', { body: { ...paid, debit_id: undefined } }, 'debit_id'],
  ['an answer with another type', { body: { ...paid, amount: '10' } }, 'must be number'],
  ['a status', { status: 201 }, 'does not describe this status'],
  ['a content type', { headers: { 'request-id': 'r', 'content-type': 'text/plain' } }, 'text/plain'],
  ['an answer without its Request-Id', { headers: { 'content-type': 'application/json' } }, 'Request-Id'],
  ['an operation', { target: '/contact' }, 'no such operation'],
  ['a method', { method: 'PUT' }, 'no such operation'],
  ['a refusal without its code', { status: 404, body: { message: 'm' } }, 'error'],
  ['a refusal of what is nowhere', { target: '/nowhere', status: 404, body: {} }, 'error'],
])('%s that is not described is reported', (_what, changes, listener) => {
  expect(faults(changes)).toContain(listener);
});

test.each([
  ['body', { asks: { ...charge, statement: undefined } }, "the request's body"],
  ['body that is missing', { asks: '' }, 'lacks its body'],
  [
    'path',
    { target: '/control/webhook-deliveries/first/replay', status: 409, body: { error: 'e', message: 'm' } },
    'deliveryId',
  ],
  ['query', { method: 'GET', target: '/control/debits?limit=many', body: [], asks: '' }, 'limit'],
])('an accepted request without the %s described is reported', (_what, changes, listener) => {
  expect(faults(changes)).toContain(listener);
});

test('a request that was refused may be wrong, but its answer may not', () => {
  const wrong = { asks: { amount: 'ten' }, status: 400 };
  expect(faults({ ...wrong, body: { error: 'invalidRequest', message: 'm', details: [] } })).toBe('');
  expect(faults({ ...wrong, body: { error: 'invalidRequest', message: 'm', details: 'all' } })).not.toBe('');
});
