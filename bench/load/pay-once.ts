import { HttpConnection } from './http-connection.ts';

/**
 * Takes one payment at a terminal, with a client that needs almost no processor time. Throws if the payment is not
 * approved.
 */
export async function payOnce(
  url: string,
  token: string | undefined,
  terminalId: string | undefined,
): Promise<void> {
  const client = await HttpConnection.open(new URL(url));
  const { status, body } = await client.send(
    'POST',
    `/terminals/${terminalId}/payment-request`,
    `Authorization: Bearer ${token}\r\nContent-Type: application/json\r\nIdempotency-Key: one\r\n`,
    JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 25 } } }),
  );
  client.close();
  if (status !== 200 || JSON.parse(body).response.result !== 'success') throw new Error(body);
}
