import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { resolveConfig, startStack, takePayment } from '../../stack/index.ts';

/**
 * Start, one payment, stop; once as a whole process, or with a folder and a number as arguments, so often in a warm
 * one, which then prints how long each took.
 */
async function onePayment(data: string): Promise<void> {
  const stack = await startStack(
    resolveConfig(undefined, {
      port: 0,
      data,
      pacing: 'instant',
      shopper: { card: 'visa-credit', entry: 'Contactless', tip: 'none', thinkMs: 0 },
    }),
  );
  const result = await takePayment({
    url: stack.url,
    token: stack.tokens[0]?.token ?? '',
    terminalId: stack.terminals[0]?.identifier ?? '',
    idempotencyKey: 'one',
    body: { paymentTransaction: { amountsReq: { requestedAmount: 25 } } },
  });
  await stack.close();
  if (result.response.result !== 'success') throw new Error(JSON.stringify(result));
}

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
