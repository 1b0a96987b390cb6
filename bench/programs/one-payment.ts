import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { resolveConfig, startStack } from '../../stack/index.ts';
import { payOnce } from '../load/pay-once.ts';

/** Starts pinpad in this process, takes one payment, and stops pinpad. */
async function onePayment(data: string): Promise<void> {
  const stack = await startStack(
    resolveConfig(undefined, {
      port: 0,
      data,
      pacing: 'instant',
      shopper: { card: 'visa-credit', entry: 'Contactless', tip: 'none', thinkMs: 0 },
    }),
  );
  await payOnce(stack.url, stack.tokens[0]?.token, stack.terminals[0]?.identifier);
  await stack.close();
}

/**
 * The first argument is a folder. The second is the number of rounds; each round starts pinpad, pays and stops pinpad.
 * Prints the duration of each round in this process, in milliseconds.
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
