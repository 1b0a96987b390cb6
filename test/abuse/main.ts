import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type AbuseSummary, abuseTest } from './abuse-test.ts';

const help = `A hostile hour: attacks a gateway under load from every side, and checks that other clients are not affected.

  npm run abuse -- --minutes 60

  --minutes N   how long (1)
  --seed S      of the dice that choose attacks, payments and mishaps (chosen and printed)
  --keep        keep the data folder, also when all is well

Slow heads, noise, forms, upgrades, frames, unread streams, strangers and card numbers, while the disk is full now
and then and the wall clock goes back and forth. After each round: no payment is open past its deadline, the books
agree, every request was answered or its connection ended, descriptors and memory are back where they were; in the end no
secret is in any file. Ends with 1 at the first violation; the evidence is left in the folder it names.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    keep: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(help);
else await main();

async function main(): Promise<void> {
  const minutes = Number(values.minutes);
  const seed = Number(values.seed);
  if (!(minutes > 0) || !Number.isInteger(seed)) {
    console.error('--minutes takes a number above 0, --seed a whole number');
    process.exitCode = 2;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-abuse-'));
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  console.log(`seed ${seed}, ${minutes} minutes, data in ${folder}`);
  const summary = await abuseTest({
    minutes,
    seed,
    folder,
    signal: interrupted.signal,
    progress: (soFar) => console.log(line(soFar)),
  }).catch((error) => {
    if (!interrupted.signal.aborted) throw error;
    rmSync(folder, { recursive: true });
    console.error('\nInterrupted.');
    return process.exit(130);
  });
  if (summary.violations.length === 0) {
    console.log('No violation: the gateway held.');
    if (summary.refused === 0)
      console.log('No order met the full disk: on a busy machine, take more minutes.');
    if (!values.keep) rmSync(folder, { recursive: true });
    return;
  }
  process.exitCode = 1;
  console.error(
    `\n${summary.violations.length} violations, seed ${seed}; evidence in ${join(folder, 'violation')}:`,
  );
  for (const { rule, ids = [], detail } of summary.violations.slice(0, 30))
    console.error(`  ${rule} (${ids.join(', ')}): ${detail.slice(0, 400)}`);
}

function line(summary: AbuseSummary): string {
  const { rounds, disk, payments, approved, orders, refused, mishaps, before, after } = summary;
  return (
    `round ${rounds}: ${summary.violations.length} violations; ${payments} payments (${approved} approved), ` +
    `${orders} orders (${refused} refused); ${summary.hostileRequests} hostile requests, ` +
    `${summary.hostileConnections} hostile connections, ${mishaps} mishaps (disk: ${disk}); ` +
    `descriptors ${before.descriptors} → ${after.descriptors}, memory ${before.usedMB} → ${after.usedMB} MB`
  );
}
