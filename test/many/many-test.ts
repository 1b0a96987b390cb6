import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../shared/random.ts';
import { check, type Violation } from '../load/check.ts';
import { BackOfficeCheck } from '../load/check-back-office.ts';
import { countEndings, type Endings, isForeign, someOf } from '../load/endings.ts';
import { leaveEvidence } from '../load/evidence.ts';
import { countGivenBack, type GivenBackFigures, noneGivenBack, Paid } from '../load/giving-back.ts';
import type { PosPayment } from '../load/pos-api.ts';
import { WebhookReceiver } from '../load/webhook-receiver.ts';
import { ManyWorld } from './many-world.ts';
import { type Accident, playRound, type Round } from './round.ts';

export interface ManyTestOptions {
  rounds: number;
  seed: number;
  timeScale: number;
  gateways: number;
  /** Each terminal on a connection of its own, with pauses and resets while it dials. */
  ownLinks?: boolean;
  /** Data of the processes, and the dump when something is wrong. */
  folder: string;
  progress?(summary: ManyTestSummary): void;
}

export interface ManyTestSummary {
  rounds: number;
  payments: number;
  /** Of those, in Adyen's Terminal API. */
  adyen: number;
  endings: Endings;
  givenBack: GivenBackFigures;
  /** How often what went wrong. */
  accidents: Partial<Record<Accident['what'], number>>;
  /** Of gateways paused, those long enough to lose what they owned. */
  fenced: number;
  /** The longest that a terminal was away when all was well again. */
  longestAwayMs: number;
  debits: number;
  events: number;
  violations: Violation[];
}

/** Plays rounds of load and accidents on several gateways until the first violation, whose evidence it leaves in the folder. */
export async function manyTest(options: ManyTestOptions): Promise<ManyTestSummary> {
  const { folder, timeScale, gateways, ownLinks } = options;
  const random = seededRandom(options.seed);
  const receiver = await WebhookReceiver.start(random);
  const preload = join(import.meta.dirname, '../crash/kill-at-step.ts');
  const world = await ManyWorld.start({ folder, timeScale, gateways, ownLinks, webhook: receiver, preload });
  const officeCheck = new BackOfficeCheck(world, receiver);
  const summary: ManyTestSummary = {
    rounds: 0,
    payments: 0,
    adyen: 0,
    endings: {},
    givenBack: { ...noneGivenBack },
    accidents: {},
    fenced: 0,
    longestAwayMs: 0,
    debits: 0,
    events: 0,
    violations: [],
  };
  const paid = new Paid();
  const all: PosPayment[] = [];
  let failed: Round | undefined;
  try {
    while (summary.rounds < options.rounds && summary.violations.length === 0) {
      const round = await playRound(world, random, `s${options.seed}-r${summary.rounds}`, paid);
      const ofPayments = await checkRound(world, round, someOf(random, all));
      const ofOffice = await officeCheck.check(round.office, (below) => random.int(below));
      summary.violations = [...round.back.violations, ...ofPayments, ...ofOffice.violations];
      all.push(...round.payments);
      count(summary, round);
      summary.debits += ofOffice.made.debits.length;
      summary.events += ofOffice.made.events.length;
      options.progress?.(summary);
      if (summary.violations.length > 0) failed = round;
      else world.forgetLogs();
    }
  } finally {
    await world.stop();
    receiver.stop();
    if (failed) {
      const evidence = join(folder, 'violation');
      await leaveEvidence(evidence, world, receiver, failed, summary.violations);
      writeFileSync(join(evidence, 'accidents.json'), JSON.stringify(failed.accidents, null, 2));
    }
    await world.remove();
  }
  return summary;
}

/** Twice: while what was lost is still gone, and once more when it is back. */
async function checkRound(world: ManyWorld, round: Round, earlier: PosPayment[]): Promise<Violation[]> {
  const { violations } = await check(world, round.payments, earlier);
  const gone = round.accidents.some((accident) => 'comesBack' in accident && !accident.comesBack);
  if (violations.length > 0 || !gone) return violations;
  await round.restore();
  return (await check(world, round.payments, [])).violations;
}

function count(summary: ManyTestSummary, { payments, accidents, back }: Round): void {
  summary.rounds++;
  summary.longestAwayMs = Math.max(summary.longestAwayMs, back.awayMs);
  for (const { what, downMs } of accidents) {
    summary.accidents[what] = (summary.accidents[what] ?? 0) + 1;
    if (what === 'gateway paused' && downMs > 5_000) summary.fenced++;
  }
  const paid = payments.filter(({ gives }) => !gives);
  summary.payments += paid.length;
  summary.adyen += paid.filter(isForeign).length;
  countEndings(summary.endings, paid);
  countGivenBack(summary.givenBack, payments);
}
