import { describe, expect, test } from 'vitest';
import { makeCommandRequest, makeRunRecord } from '../report/exploration.fixture.ts';
import type { CommandRequest } from '../run/run-record.ts';
import { findFirstDifference } from './difference.ts';

/** Makes the two requests of a sale over one connection: the payment request, and the question for its status. */
function sale(connection: number, first: number, beside: boolean): [CommandRequest, CommandRequest] {
  const status = { point: 'status', nth: 1, method: 'GET', path: '/payment-requests/status', key: first };
  return [
    { ...makeCommandRequest('303'), connection, beside },
    { ...status, told: '200', connection, beside },
  ];
}
const run = (...requests: CommandRequest[]) => makeRunRecord({ requests });

describe('two runs of a point of sale (B330)', () => {
  test('are the same if only the order of two connections differs', () => {
    const [a, aStatus] = sale(1, 1, false);
    const [b, bStatus] = sale(2, 2, true);
    const other = [{ ...bStatus, key: 2 }, aStatus] as const;
    expect(findFirstDifference(run(a, b, aStatus, bStatus), run(a, b, ...other))).toBeUndefined();
    const behind = { ...bStatus, key: 3 };
    expect(
      findFirstDifference(run(a, b, aStatus, bStatus), run(a, aStatus, { ...b, nth: 2 }, behind)),
    ).toBeUndefined();
  });

  test('differ if one connection has a different order', () => {
    const [a, aStatus] = sale(1, 1, false);
    const [b, bStatus] = sale(2, 2, true);
    const turned = [
      { ...aStatus, key: 'new' },
      { ...a, key: 1 },
    ] as const;
    const behind = { ...bStatus, key: 3 };
    expect(findFirstDifference(run(a, b, aStatus, bStatus), run(...turned, b, behind))).toEqual({
      at: 'request 1 of a connection',
      first: 'POST /terminals/…/payment-request a new key 303',
      second: 'GET /payment-requests/status a new key 200',
    });
  });

  test('differ if a connection uses the key of another', () => {
    const [a, aStatus] = sale(1, 1, false);
    const [b, bStatus] = sale(2, 2, true);
    const stranger = { ...bStatus, key: 1 };
    expect(findFirstDifference(run(a, b, aStatus, bStatus), run(a, b, aStatus, stranger))).toEqual({
      at: 'request 2 of a connection',
      first: 'GET /payment-requests/status the key of request 1 200',
      second:
        "GET /payment-requests/status no key 200, with the key of another connection's POST /terminals/…/payment-request",
    });
  });

  test('differ in the order of requests that were not parallel, even if each has its own connection', () => {
    const [first] = sale(1, 1, false);
    const asked = {
      ...makeCommandRequest('200'),
      method: 'GET',
      path: '/terminals',
      key: 'none',
      connection: 2,
    } as const;
    const [moved, before] = [
      { ...first, connection: 2 },
      { ...asked, connection: 1 },
    ];
    expect(findFirstDifference(run(first, asked), run(before, moved))?.at).toBe('request 1');
  });

  test('differ if one sends more requests', () => {
    const [a, aStatus] = sale(1, 1, false);
    expect(findFirstDifference(run(a), run(a, aStatus))).toMatchObject({
      at: 'request 2',
      first: 'no further request',
    });
    const [b] = sale(2, 2, true);
    expect(findFirstDifference(run(a, b), run(a, b, aStatus))).toMatchObject({
      at: 'request 2 of a connection',
    });
  });
});
