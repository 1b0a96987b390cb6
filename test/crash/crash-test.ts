import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../shared/random.ts';
import { check, type Findings, type Violation } from '../load/check.ts';
import { BackOfficeCheck } from '../load/check-back-office.ts';
import type { Made } from '../load/check-events.ts';
import { countEndings, type Endings, isForeign, someOf } from '../load/endings.ts';
import { leaveEvidence } from '../load/evidence.ts';
import { countGivenBack, type GivenBackFigures, noneGivenBack, Paid } from '../load/giving-back.ts';
import type { PosPayment } from '../load/pos-api.ts';
import { WebhookReceiver } from '../load/webhook-receiver.ts';
import { World } from '../load/world.ts';
import { accidentText, playRound, type Round } from './round.ts';

export interface CrashTestOptions {
  rounds: number;
  seed: number;
  timeScale: number;
  /** Data of the processes, and the dump when something is wrong. */
  folder: string;
  progress?(summary: CrashTestSummary): void;
}

export interface CrashTestSummary {
  rounds: number;
  kills: number;
  /** Of those, of the gateway right before or after a commit, or between two effects of a payment. */
  atStep: number;
  /** Of those, a commit of the thread that writes. */
  inThread: number;
  payments: number;
  /** Of those, in Adyen's Terminal API. */
  adyen: number;
  endings: Endings;
  givenBack: GivenBackFigures;
  /** Authorizations that had to be taken back. */
  reversed: number;
  office: BackOfficeFigures;
  violations: Violation[];
}

/** What the back office did, and what came of it. */
export interface BackOfficeFigures {
  debits: number;
  refunds: number;
  /** Of those. */
  failedRefunds: number;
  credits: number;
  /** Of those, links that a customer used up. */
  accepted: number;
  /** Requests whose answer never came: cut off by a kill, or by who asked. */
  unanswered: number;
  events: number;
  /** Messages the receiver took, an event's repetitions too. */
  received: number;
}

/** Plays rounds of load and accidents until the first violation, whose evidence it leaves in the folder. */
export async function crashTest(options: CrashTestOptions): Promise<CrashTestSummary> {
  const random = seededRandom(options.seed);
  const receiver = await WebhookReceiver.start(random);
  const { folder, timeScale } = options;
  const preload = join(import.meta.dirname, 'kill-at-step.ts');
  const world = new World({ folder, timeScale, webhook: receiver, preload });
  const officeCheck = new BackOfficeCheck(world, receiver);
  const summary: CrashTestSummary = {
    rounds: 0,
    kills: 0,
    atStep: 0,
    inThread: 0,
    payments: 0,
    adyen: 0,
    endings: {},
    givenBack: { ...noneGivenBack },
    reversed: 0,
    office: {
      debits: 0,
      refunds: 0,
      failedRefunds: 0,
      credits: 0,
      accepted: 0,
      unanswered: 0,
      events: 0,
      received: 0,
    },
    violations: [],
  };
  const paid = new Paid();
  const all: PosPayment[] = [];
  let failed: Round | undefined;
  await world.start();
  try {
    while (summary.rounds < options.rounds && summary.violations.length === 0) {
      const name = `s${options.seed}-r${summary.rounds}`;
      const round = await playRound(world, random, name, paid);
      const findings = await checkRound(world, round, someOf(random, all));
      const ofOffice = await officeCheck.check(round.office, (below) => random.int(below));
      summary.violations = [...findings.violations, ...ofOffice.violations];
      summary.reversed += findings.reversed;
      all.push(...round.payments);
      count(summary, round);
      summary.inThread += killsInThread(world);
      countOffice(summary.office, round, ofOffice.made, receiver);
      options.progress?.(summary);
      if (summary.violations.length > 0) failed = round;
      else world.forgetLogs();
    }
  } finally {
    await world.stop();
    receiver.stop();
  }
  if (failed) {
    const evidence = join(options.folder, 'violation');
    await leaveEvidence(evidence, world, receiver, failed, summary.violations);
    writeFileSync(join(evidence, 'accidents.txt'), failed.accidents.map(accidentText).join('\n'));
  }
  return summary;
}

/** Twice: while what was lost is still gone, and once more when it is back. */
async function checkRound(world: World, round: Round, earlier: PosPayment[]): Promise<Findings> {
  const findings = await check(world, round.payments, earlier);
  if (findings.violations.length > 0 || round.accidents.every(({ comesBack }) => comesBack)) return findings;
  await round.restore();
  return check(world, round.payments, []);
}

/** Which thread's commit it was stands in the log; see kill-at-step.ts. */
function killsInThread({ logs }: World): number {
  return readFileSync(join(logs, 'gateway.jsonl'), 'utf8').split('commit of the writing thread').length - 1;
}

function count(summary: CrashTestSummary, { payments, accidents }: Round): void {
  summary.rounds++;
  for (const { diedThere, atSteps, failedStartMs } of accidents) {
    summary.kills += Math.max(1, atSteps.length) * (failedStartMs === undefined ? 1 : 2);
    summary.atStep += diedThere;
  }
  const paid = payments.filter(({ gives }) => !gives);
  summary.payments += paid.length;
  summary.adyen += paid.filter(isForeign).length;
  countEndings(summary.endings, paid);
  countGivenBack(summary.givenBack, payments);
}

function countOffice(
  figures: BackOfficeFigures,
  { office }: Round,
  made: Made,
  receiver: WebhookReceiver,
): void {
  const refunds = made.debits.flatMap((debit) => debit.refunds);
  figures.debits += made.debits.length;
  figures.refunds += refunds.length;
  figures.failedRefunds += refunds.filter(({ status }) => status === 'failed').length;
  figures.credits += made.credits.length;
  figures.accepted += made.credits.filter(({ state }) => state === 'completed' || state === 'failed').length;
  figures.unanswered += office
    .flatMap(({ orders, actions }) => [...orders, ...actions.filter(({ what }) => what !== 'visit')])
    .filter(({ status }) => status === undefined).length;
  figures.events += made.events.length;
  figures.received = receiver.taken.length;
}
