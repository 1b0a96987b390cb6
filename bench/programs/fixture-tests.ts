import { startPinpad } from '../../testing/index.ts';

/** What a part of a test took. */
interface Took {
  ms: number;
  cpuMs: number;
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; took: Took }> {
  const [before, cpu] = [performance.now(), process.cpuUsage()];
  const value = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { value, took: { ms: performance.now() - before, cpuMs: (user + system) / 1000 } };
}

/** A test as users write it, with a stack of its own. */
async function oneTest(): Promise<Record<'start' | 'pay' | 'close', Took>> {
  const { value: pinpad, took: start } = await timed(() => startPinpad());
  const { took: pay } = await timed(async () => {
    await pinpad.pos.pay({ amount: 12.5 });
    await pinpad.terminal().tap('visa-credit');
    await pinpad.expect({ outcome: 'success' });
  });
  const { took: close } = await timed(() => pinpad.close());
  return { start, pay, close };
}

/** Argument: how many tests; prints what each took in this process. */
const tests: Awaited<ReturnType<typeof oneTest>>[] = [];
for (let nth = 0; nth < Number(process.argv[2] ?? 1); nth++) tests.push(await oneTest());
console.log(JSON.stringify(tests));
