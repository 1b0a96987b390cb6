import type { Operation } from './operation.ts';

/** Refunds one cent of a debit. The debits take turns: after the last debit comes the first one. */
export const refundOperation: Operation = async (connection, target, nth) => {
  const debits = target.debits ?? [];
  const debit = debits[nth % Math.max(1, debits.length)];
  if (debit === undefined) throw new Error('there is no debit to refund');
  const answer = await connection.send(
    'POST',
    `/debit/${debit}/refunds`,
    `Authorization: Bearer ${target.token}\r\nContent-Type: application/json\r\n`,
    JSON.stringify({ amount: 0.01, reason: 'customer_request', reason_details: `bench-${nth}` }),
  );
  if (answer.status !== 201 || !answer.body.includes('"status":"processing"'))
    throw new Error(`refund ${nth} was answered with ${answer.status}: ${answer.body.slice(0, 300)}`);
  return answer;
};
