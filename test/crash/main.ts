import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countsText } from '../load/endings.ts';
import { givenBackText } from '../load/giving-back.ts';
import { giveVerdict } from '../load/verdict.ts';
import { type CrashTestSummary, crashTest } from './crash-test.ts';

const help = `Kills gateway and terminals under load, again and again, at any moment, right before or after commits, between two
effects of a payment and while the disk refuses some of its commits, and checks that nothing was lost or paid twice: payments
on terminals, a third of them in Adyen's Terminal API, what that gives back of them and to cards, by several tills at once,
charges, captures, refunds and payment links, and the events of all that, sent to a webhook receiver that fails at random.

  npm run crashtest -- --rounds 200

  --rounds N       how many (20)
  --seed S         of the dice that choose payments, POS manners and accidents (chosen and printed)
  --time-scale X   multiplies every timeout (0.02: 150 s are 3 s)
  --keep           keep the data folder, also when all is well

Ends with 1 at the first violation; the evidence is left in the folder it names.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'time-scale': { type: 'string', default: '0.02' },
    keep: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(help);
else await main();

async function main(): Promise<void> {
  const seed = Number(values.seed);
  const rounds = Number(values.rounds);
  const timeScale = Number(values['time-scale']);
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-crash-'));
  const startedAt = performance.now();
  console.log(`seed ${seed}, ${rounds} rounds, time scale ${timeScale}, data in ${folder}`);
  const summary = await crashTest({
    rounds,
    seed,
    timeScale,
    folder,
    progress: (soFar) => progress(soFar, rounds),
  });
  console.log(`\n${line(summary)} in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  giveVerdict(summary, { seed, folder, keep: values.keep });
}

function progress(summary: CrashTestSummary, rounds: number): void {
  const text = `of ${rounds}: ${line(summary)}`;
  if (process.stdout.isTTY) process.stdout.write(`\r${text}`);
  else if (summary.rounds % 10 === 0 || summary.rounds === rounds) console.log(text);
}

function line({
  rounds,
  payments,
  adyen,
  endings,
  givenBack,
  reversed,
  office,
  kills,
  atStep,
  inThread,
  violations,
}: CrashTestSummary): string {
  const { debits, refunds, failedRefunds, credits, accepted, unanswered, events, received } = office;
  return (
    `${rounds} rounds, ${kills} kills (${atStep} at a step, ${inThread} of them the writing thread's), ${violations.length} violations, ` +
    `${payments} payments (${adyen} of them Adyen's): ${countsText(endings)}; ${givenBackText(givenBack)}; ${reversed} reversed; ` +
    `${debits} debits, ${refunds} refunds (${failedRefunds} failed), ${credits} links (${accepted} accepted), ` +
    `${unanswered} requests unanswered; ${events} events, received ${received} times`
  );
}
