import { expect, test } from 'vitest';
import type { PosRequest } from '../requests/pos-request.ts';
import { chooseRequestsToJudge, mostJudgedRequests } from './requests-to-judge.ts';

/** A request of a sale: a payment without an answer, or a status request with its answer. */
function request(kind: 'payment' | 'status', key: string, status?: number): PosRequest {
  const answered = status === undefined ? {} : { status, answered: { data: { status } } };
  return { kind, key, paymentKey: key, notes: [], ...answered } as unknown as PosRequest;
}

test('the few requests of a small sale are all compared', () => {
  const all = Array.from({ length: mostJudgedRequests }, (_, number) => request('payment', `k${number}`));
  expect(chooseRequestsToJudge(all)).toBe(all);
});

test('at most ninety requests of a large sale are compared, in their order and in any mixture (B360)', () => {
  const all = Array.from({ length: 1_000 }, (_, number) => {
    const key = `k${number % 100}`;
    return number < 100 ? request('payment', key) : request('status', key, number < 500 ? 200 : 303);
  });
  const chosen = chooseRequestsToJudge(all);
  expect(chosen).toEqual([...all.slice(70, 100), ...all.slice(170, 200), ...all.slice(-30)]);
  expect(chooseRequestsToJudge(all.slice(0, 100))).toHaveLength(mostJudgedRequests);
});
