import { parseArgs } from 'node:util';
import { Coverage } from './coverage.ts';
import { planted, seedShowing } from './planted.ts';
import { playHistories, playTwoOwners } from './play.ts';

const help = `Plays random histories of payments. Those of one gateway go over the pure core, with refused commits and deaths between
effects; those of two gateways, which share a database, over all that moves payments, with commits that are late, refused or
never answered. After every commit at most one authorization stands and reported equals moved, nothing leaves before
it is on disk, and at the end every accepted payment is concluded and every request is answered.

  npm run histories -- --histories 100000 --two-owners 20000

  --histories N    how many of one gateway (100000)
  --two-owners N   how many of two gateways (20000)
  --seed S         of the first; each next one has the next seed (chosen and printed)
  --planted        finds for each planted bug the first history that shows it`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    histories: { type: 'string', default: '100000' },
    'two-owners': { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    planted: { type: 'boolean' },
  },
});

if (values.help) console.log(help);
else if (values.planted) await findPlanted();
else await main(Number(values.seed));

async function main(seed: number): Promise<void> {
  const coverage = new Coverage();
  const histories = Number(values.histories);
  await report('one gateway', seed, () => playHistories({ histories, seed, coverage }));
  if (histories > 0) for (const pair of coverage.missing()) console.log(`never came to: ${pair}`);
  await report('two gateways', seed, () => playTwoOwners({ histories: Number(values['two-owners']), seed }));
}

async function report(of: string, seed: number, play: () => ReturnType<typeof playTwoOwners>): Promise<void> {
  const startedAt = performance.now();
  const { played, violation } = await play();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `${played} histories of ${of} from seed ${seed} in ${seconds} s, ${violation ? 1 : 0} violations`,
  );
  if (!violation) return;
  process.exitCode = 1;
  console.error(`Violated by seed ${violation.seed}: ${violation.error}\n${violation.said.join('\n')}`);
}

async function findPlanted(): Promise<void> {
  for (const bug of planted) {
    const seed = await seedShowing(bug);
    console.log(`${seed ?? 'none'}\t${bug.bug}\t${bug.invariant}`);
    if (seed === undefined) process.exitCode = 1;
  }
}
