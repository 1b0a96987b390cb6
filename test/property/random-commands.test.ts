import fc from 'fast-check';
import { expect, test } from 'vitest';
import { draws } from '../draws.ts';
import { type Command, inWords, script } from './command.ts';
import { strandedMoney, violations } from './invariants.ts';
import { World } from './world.ts';

/**
 * Random shoppers, merchants and accidents act on the whole stack in virtual time. To run more, or another seed:
 *
 * PINPAD_DRAWS=100 PINPAD_PROPERTY_SEED=7 npx vitest run test/property
 */
const runs = draws(10);
const seed = Number(process.env.PINPAD_PROPERTY_SEED ?? 20_260_101);

/** The maximum number of further runs in which a failure is made smaller, before it is reported. */
const mostSmallerRuns = 200;
let smallerRuns = 0;
let failed = false;

/**
 * In virtual time a run takes a fraction of a second. A run that takes this long waits for something that never comes.
 */
const hangsAfterMs = 60_000;

async function execute(commands: Command[]): Promise<void> {
  // A run that passes is no smaller failure, so fast-check stops with the present one.
  if (failed && ++smallerRuns > mostSmallerRuns) return;
  const world = await World.start();
  let at = 0;
  const executing = async () => {
    for (const one of commands) {
      at++;
      await world.execute(one);
    }
    at++;
    await world.settleAll();
    const stranded = await strandedMoney(world);
    at++;
    await world.settle();
    at++;
    return [...stranded, ...(await violations(world))];
  };
  const found = await Promise.race([executing(), hanging()]);
  const scenario = found.length > 0 ? report(commands, found, world, at) : undefined;
  await Promise.race([world.end(), hanging()]);
  if (scenario === undefined) return;
  failed = true;
  throw new Error(scenario);
}

function hanging(): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<string[]>();
  AbortSignal.timeout(hangsAfterMs).addEventListener('abort', () => resolve(['it hangs']));
  return promise;
}

/** Returns the run as a script, and what was wrong after it. */
function report(commands: Command[], found: string[], { harness }: World, reached: number): string {
  const steps = commands.map((one, at) => `  ${at + 1}. ${inWords(one)}`);
  const scenario = harness
    .journal()
    .filter(({ kind }) => /^(payment|ledger|terminal\.(power|network|card|screen)|warning|link)/.test(kind))
    .map(({ at, kind, terminal, payment, data }) =>
      [`  ${at}`, kind, terminal, payment?.slice(-6), JSON.stringify(data)].filter(Boolean).join(' '),
    );
  return [
    '',
    `Violated (at step ${reached} of ${commands.length}, settling and checking after them):`,
    ...found.map((line) => `  ${line}`),
    'Script:',
    ...steps,
    'Journal:',
    ...scenario,
  ].join('\n');
}

test(
  'random actions of shoppers, merchants and accidents lose nothing, and the books agree',
  async () => {
    await fc.assert(fc.asyncProperty(script, execute), { seed, numRuns: runs });
    expect(runs).toBeGreaterThan(0);
  },
  (runs + mostSmallerRuns) * hangsAfterMs,
);
