import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isThoroughRun, scaledDraws } from '../draws.ts';
import { type Command, commandScript, inWords } from './command.ts';
import { checkNoMoneyIsStranded, findViolations } from './invariants.ts';
import { World } from './world.ts';

/**
 * Random shoppers, merchants and accidents act on the whole stack in virtual time. This command plays more runs, with
 * another seed:
 *
 * PINPAD_DRAWS=100 PINPAD_PROPERTY_SEED=7 npx vitest run test/property
 */
const runs = isThoroughRun ? scaledDraws(10) : 4;
const seed = Number(process.env.PINPAD_PROPERTY_SEED ?? 20_260_101);

/**
 * When a run fails, fast-check searches for a smaller run that fails too. This is the maximum number of runs for that
 * search.
 */
const mostSmallerRuns = 200;
let smallerRuns = 0;
let failed = false;

/**
 * In virtual time, a run takes less than a second. If a run takes this long, it waits for something that never comes.
 */
const hangsAfterMs = 60_000;

async function execute(commands: Command[]): Promise<void> {
  // After the maximum number of smaller runs, every further run passes without being played. So fast-check keeps the
  // smallest failure found so far.
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
    const stranded = await checkNoMoneyIsStranded(world);
    at++;
    await world.settle();
    at++;
    return [...stranded, ...(await findViolations(world))];
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
    await fc.assert(fc.asyncProperty(commandScript, execute), { seed, numRuns: runs });
    expect(runs).toBeGreaterThan(0);
  },
  (runs + mostSmallerRuns) * hangsAfterMs,
);
