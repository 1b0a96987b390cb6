import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countsText } from '../load/endings.ts';
import { giveVerdict } from '../load/verdict.ts';
import { fleetTest } from './fleet-test.ts';

const help = `Connects thousands of terminals to several gateways with one PostgreSQL and one NATS behind a balancer, kills a gateway while
payments are under way, and prints how soon its terminals are back, how soon its open payments are taken over, and whether
nothing was lost or paid twice.

  npm run fleettest -- --terminals 10000

  --terminals N    how many (10000)
  --gateways N     how many (3)
  --paying N       terminals that payments are made at (150)
  --seed S         of the dice that choose terminals, payments and POS manners (chosen and printed)
  --keep           keep the data folder, also when all is well`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    terminals: { type: 'string', default: '10000' },
    gateways: { type: 'string', default: '3' },
    paying: { type: 'string', default: '150' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    keep: { type: 'boolean', default: false },
  },
});

const meaning = {
  dialledMs: 'from the kill until their terminal dialled another gateway',
  takenMs: 'from that until it worked at them',
  overMs: 'from the kill until they were concluded',
};

if (values.help) console.log(help);
else await main();

async function main(): Promise<void> {
  const seed = Number(values.seed);
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-fleet-'));
  console.log(`seed ${seed}, ${values.terminals} terminals, ${values.gateways} gateways, data in ${folder}`);
  const { takeovers, payments, endings, violations } = await fleetTest({
    terminals: Number(values.terminals),
    gateways: Number(values.gateways),
    paying: Number(values.paying),
    seed,
    folder,
    say: (text) => console.log(text),
  });
  const known = takeovers.filter((each) => each !== undefined);
  for (const what of ['dialledMs', 'takenMs', 'overMs'] as const)
    console.log(`open payments, ${meaning[what]}: ${spread(known.map((each) => each[what]))}`);
  if (known.length < takeovers.length)
    console.log(
      `${takeovers.length - known.length} more were over before another gateway had their terminal`,
    );
  console.log(`${payments} payments: ${countsText(endings)}`);
  giveVerdict({ rounds: 1, violations }, { seed, folder, keep: values.keep });
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) =>
    `${sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]} ms`;
  return sorted.length === 0 ? 'none' : `median ${at(0.5)}, 99th of 100 ${at(0.99)}, longest ${at(1)}`;
}
