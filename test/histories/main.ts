import { parseArgs } from 'node:util';
import { playHistories } from './play.ts';

const help = `Plays random histories of payments over the pure core of the gateway, with refused commits and deaths between effects,
and checks after every step that at most one authorization stands, that reported equals moved, that nothing leaves before
it is on disk, and at the end that every accepted payment is concluded.

  npm run histories -- --histories 100000

  --histories N    how many (100000)
  --seed S         of the first; each next one has the next seed (chosen and printed)`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    histories: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

if (values.help) console.log(help);
else main(Number(values.histories), Number(values.seed));

function main(histories: number, seed: number): void {
  const startedAt = performance.now();
  const { played, violation, missing } = playHistories({ histories, seed });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${played} histories from seed ${seed} in ${seconds} s, ${violation ? 1 : 0} violations`);
  for (const pair of missing) console.log(`never came to: ${pair}`);
  if (!violation) return;
  process.exitCode = 1;
  console.error(`Violated by seed ${violation.seed}: ${violation.error}\n${violation.said.join('\n')}`);
}
