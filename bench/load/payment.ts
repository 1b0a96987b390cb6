import type { Operation } from './operation.ts';

const body = JSON.stringify({
  paymentTransaction: { amountsReq: { requestedAmount: 25 } },
  saleData: { saleReferenceId: 'bench-0000001' },
  transactionConditions: { merchantCategoryCode: '5812' },
});
const run = Math.floor(Math.random() * 1e9).toString(36);

/**
 * Makes one payment on the terminal that has been idle longest, with an Idempotency-Key of its own. The request is held
 * until the payment is approved.
 */
export const paymentOperation: Operation = async (connection, target, nth) => {
  const terminal = target.terminals.shift();
  if (terminal === undefined) throw new Error('there are fewer terminals than requests in flight');
  const answer = await connection.send(
    'POST',
    `/terminals/${terminal}/payment-request`,
    `Authorization: Bearer ${target.token}\r\nContent-Type: application/json\r\nIdempotency-Key: bench-${run}-${nth}\r\n`,
    body,
  );
  target.terminals.push(terminal);
  if (answer.status !== 200 || !answer.body.includes('"result":"success"'))
    throw new Error(`payment ${nth} was answered with ${answer.status}: ${answer.body.slice(0, 300)}`);
  return answer;
};
