import type { Operation } from './operation.ts';

/** The customer, card and account that bench/targets/start-pinpad.ts makes for charges. */
export const benchCustomer = { contact: 'bench-customer', card: 'bench-card', bankAccount: 'bench-account' };

const path = `/contact/${benchCustomer.contact}/creditCards/${benchCustomer.card}/charge`;
const body = JSON.stringify({
  amount: 25,
  to_bank_account_id: benchCustomer.bankAccount,
  statement: 'BENCH 0000001',
});

/** Charges a saved card once, which makes a new debit. */
export const chargeOperation: Operation = async (connection, target, nth) => {
  const headers = `Authorization: Bearer ${target.token}\r\nContent-Type: application/json\r\n`;
  const answer = await connection.send('POST', path, headers, body);
  if (answer.status !== 200 || !answer.body.includes('"transaction_state":"paid"'))
    throw new Error(`charge ${nth} was answered with ${answer.status}: ${answer.body.slice(0, 300)}`);
  return answer;
};
