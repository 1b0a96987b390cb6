import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { resolveConfig, startStack } from '../../stack/index.ts';
import { HttpConnection } from '../load/http-connection.ts';

/** Starts pinpad, makes one payment with a client that costs next to nothing, and stops pinpad. */
async function onePayment(data: string): Promise<void> {
  const stack = await startStack(
    resolveConfig(undefined, {
      port: 0,
      data,
      pacing: 'instant',
      shopper: { card: 'visa-credit', entry: 'Contactless', tip: 'none', thinkMs: 0 },
    }),
  );
  const client = await HttpConnection.open(new URL(stack.url));
  const { status, body } = await client.send(
    'POST',
    `/terminals/${stack.terminals[0]?.identifier}/payment-request`,
    `Authorization: Bearer ${stack.tokens[0]?.token}\r\nContent-Type: application/json\r\nIdempotency-Key: one\r\n`,
    JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 25 } } }),
  );
  client.close();
  await stack.close();
  if (status !== 200 || JSON.parse(body).response.result !== 'success') throw new Error(body);
}

/**
 * The arguments are a folder, and how many times to start, pay and stop. Prints how many milliseconds each time took in
 * this process.
 */
const [folder = '.', times = '1'] = process.argv.slice(2);
const tookMs: number[] = [];
for (let nth = 0; nth < Number(times); nth++) {
  const data = join(folder, String(nth));
  const before = performance.now();
  await onePayment(data);
  tookMs.push(performance.now() - before);
  rmSync(data, { recursive: true });
}
console.log(JSON.stringify(tookMs));
