import { startPinpad } from '../../testing/index.ts';

/**
 * Measures how long tests with `pinpad/testing` take. Each test starts an instance, makes one payment and checks what
 * it expects. Prints the milliseconds.
 */
const times: number[] = [];
for (let left = Number(process.argv[2]); left > 0; left--) {
  const before = performance.now();
  const pinpad = await startPinpad({ terminals: 1 });
  const sale = await pinpad.pos.pay({ amount: 12.5 });
  await pinpad.terminal().tap('visa-credit');
  await pinpad.expect({ outcome: 'success', books: 'agree' }, { of: sale });
  await pinpad.close();
  times.push(performance.now() - before);
}
console.log(JSON.stringify(times));
