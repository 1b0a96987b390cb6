import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countsText } from '../load/endings.ts';
import { givenBackText } from '../load/giving-back.ts';
import { giveVerdict } from '../load/verdict.ts';
import { type ManyTestSummary, manyTest } from './many-test.ts';

const help = `Puts load, a third of the payments in Adyen's Terminal API, which gives back of them, too, on several gateways with one PostgreSQL and one NATS
behind a balancer, and checks that nothing was lost or paid twice while gateways are killed (also at a step) or paused until
others have taken over, NATS is killed or paused, PostgreSQL restarted, links cut and terminals killed; and that each terminal is
back within 10 s when all is well again.

  npm run crashtest:many -- --rounds 200

  --rounds N       how many (20)
  --gateways N     how many (3)
  --seed S         of the dice that choose payments, POS manners and accidents (chosen and printed)
  --time-scale X   multiplies every timeout (0.02: 150 s are 3 s)
  --own-links      each terminal has a connection of its own, and in every round a gateway stands still while they dial and
                   the balancer resets their connections
  --keep           keep the data folder, also when all is well

Ends with 1 at the first violation; the evidence is left in the folder it names.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    rounds: { type: 'string', default: '20' },
    gateways: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'time-scale': { type: 'string', default: '0.02' },
    'own-links': { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(help);
else await main();

async function main(): Promise<void> {
  const seed = Number(values.seed);
  const rounds = Number(values.rounds);
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-many-'));
  const startedAt = performance.now();
  console.log(`seed ${seed}, ${rounds} rounds, ${values.gateways} gateways, data in ${folder}`);
  const summary = await manyTest({
    rounds,
    seed,
    timeScale: Number(values['time-scale']),
    gateways: Number(values.gateways),
    ownLinks: values['own-links'],
    folder,
    progress: (soFar) => {
      if (soFar.rounds % 5 === 0 || soFar.rounds === rounds) console.log(`of ${rounds}: ${line(soFar)}`);
    },
  });
  console.log(`\n${line(summary)} in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  giveVerdict(summary, { seed, folder, keep: values.keep });
}

function line(summary: ManyTestSummary): string {
  const {
    rounds,
    payments,
    adyen,
    endings,
    givenBack,
    accidents,
    fenced,
    longestAwayMs,
    debits,
    events,
    violations,
  } = summary;
  return (
    `${rounds} rounds, ${violations.length} violations, ${payments} payments (${adyen} of them Adyen's): ${countsText(endings)}; ${givenBackText(givenBack)}; ` +
    `${countsText(accidents)} (${fenced} until given up); longest away ${longestAwayMs.toFixed(0)} ms; ${debits} debits, ${events} events`
  );
}
