import { expect, test } from 'vitest';
import { Journal } from '../journal.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { readPosRequests } from './read-requests.ts';

function requestFor(path: string) {
  const journal = new Journal(new VirtualClock({ startMs: 0 }));
  journal.add('http.received', { method: 'GET', path, requestId: 'r1' });
  return readPosRequests(journal.since())[0];
}

test.each([
  ['//x:99999999/', 'other'],
  ['//x/terminals/t1/payment-request', 'other'],
  ['http://[::1/terminals', 'other'],
  ['*', 'other'],
  ['', 'other'],
  ['/terminals/t1/payment-request', 'latest'],
  ['http://proxied/terminals/t1/payment-request', 'latest'],
])('a request for %j is read as %s', (path, kind) => {
  expect(requestFor(path)?.kind).toBe(kind);
});

test('the path and the query are read separately', () => {
  const request = requestFor('/payment-requests/status?idempotencyKey=a%20b&x=?');
  expect(request).toMatchObject({ kind: 'status', path: '/payment-requests/status' });
  expect(Object.fromEntries(request?.query ?? [])).toEqual({ idempotencyKey: 'a b', x: '?' });
});

test('headers that another process sent as null or text do not make a request unreadable', () => {
  for (const headers of ['null', '"none"']) {
    const journal = new Journal(new VirtualClock({ startMs: 0 }));
    const data = `{"requestId":"r","method":"GET","path":"/terminals","headers":${headers}}`;
    journal.adopt({ at: 0, kind: 'http.received' }, data);
    expect(readPosRequests(journal.since())).toMatchObject([{ requestId: 'r', key: undefined }]);
  }
});
