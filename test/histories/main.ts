import { parseArgs } from 'node:util';
import { lifecycle as creditLifecycle } from '../../gateway/credits/core/lifecycle.ts';
import { lifecycle } from '../../gateway/payments/core/lifecycle.ts';
import { lifecycle as debitLifecycle } from '../../gateway/saved-cards/core/lifecycle.ts';
import { refundLifecycle } from '../../gateway/saved-cards/core/refund-lifecycle.ts';
import { lifecycle as deliveryLifecycle } from '../../gateway/webhooks/lifecycle.ts';
import { Coverage } from './coverage.ts';
import { allPlantedBugs, seedShowing } from './planted.ts';
import { playCredits, playDebits, playDeliveries, playHistories, playTwoOwners } from './play.ts';

const help = `Plays random histories of payments, debits, credits and webhook deliveries. Those of one gateway go over the pure core, with refused commits and deaths between
effects; those of two gateways, which share a database, over all that moves payments, with commits that are late, refused or
never answered. Both take money, give it back of payments, and give it to cards. After every commit at most one authorization
stands, reported equals moved and no more is given back of a payment than it took, nothing leaves before it is on disk, and at the end every accepted payment is concluded and every request is answered. Credits are decided at two
gateways of such a database: each moves and is told once, a link takes three tries, and at the end each has ended. Debits and
their refunds are decided at two, or at one that keeps them in memory: each is captured once, no more is refunded than was
taken, and what is told is what the issuer moved. What follows attempts to deliver is decided by two gateways: what was taken by
its receiver stays delivered, each attempt counts once, and at the end each delivery has ended.

  npm run histories -- --histories 100000 --two-owners 20000 --debits 20000 --credits 20000 --deliveries 20000

  --histories N    how many of one gateway (100000)
  --two-owners N   how many of two gateways (20000)
  --debits N       how many of debits (20000)
  --credits N      how many of credits (20000)
  --deliveries N   how many of webhook deliveries (20000)
  --seed S         of the first; each next one has the next seed (chosen and printed)
  --planted        finds for each planted bug the first history that shows it`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    histories: { type: 'string', default: '100000' },
    'two-owners': { type: 'string', default: '20000' },
    debits: { type: 'string', default: '20000' },
    credits: { type: 'string', default: '20000' },
    deliveries: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    planted: { type: 'boolean' },
  },
});

if (values.help) console.log(help);
else if (values.planted) await findPlanted();
else await main(Number(values.seed));

async function main(seed: number): Promise<void> {
  const coverage = new Coverage(lifecycle);
  const histories = Number(values.histories);
  await report('one gateway', seed, () => playHistories({ histories, seed, coverage }));
  if (histories > 0) for (const pair of coverage.missing()) console.log(`never came to: ${pair}`);
  await report('two gateways', seed, () => playTwoOwners({ histories: Number(values['two-owners']), seed }));
  const ofDebits = { debits: new Coverage(debitLifecycle), refunds: new Coverage(refundLifecycle) };
  const debits = Number(values.debits);
  await report('debits', seed, () => playDebits({ histories: debits, seed, coverage: ofDebits }));
  if (debits > 0) {
    for (const pair of ofDebits.debits.missing()) console.log(`never came to: ${pair} of a debit`);
    for (const pair of ofDebits.refunds.missing()) console.log(`never came to: ${pair} of a refund`);
  }
  const ofCredits = new Coverage(creditLifecycle);
  const credits = Number(values.credits);
  await report('credits', seed, () => playCredits({ histories: credits, seed, coverage: ofCredits }));
  if (credits > 0) for (const pair of ofCredits.missing()) console.log(`never came to: ${pair} of a credit`);
  const ofDeliveries = new Coverage(deliveryLifecycle);
  const deliveries = Number(values.deliveries);
  await report('deliveries', seed, () =>
    playDeliveries({ histories: deliveries, seed, coverage: ofDeliveries }),
  );
  if (deliveries > 0)
    for (const pair of ofDeliveries.missing()) console.log(`never came to: ${pair} of a delivery`);
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
  for (const bug of allPlantedBugs) {
    const seed = await seedShowing(bug);
    console.log(`${seed ?? 'none'}\t${bug.bug}\t${bug.invariant}`);
    if (seed === undefined) process.exitCode = 1;
  }
}
