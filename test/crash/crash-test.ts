import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Random, seededRandom } from '../../shared/random.ts';
import { check, type Findings, type Violation } from './check.ts';
import { control } from './control.ts';
import { accidentText, playRound, type Round } from './round.ts';
import type { TillPayment } from './till.ts';
import { World } from './world.ts';

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
  payments: number;
  /** How they ended, as the till was told: approved, an errorCondition, or that it never asked again. */
  endings: Record<string, number>;
  /** Authorizations that had to be taken back. */
  reversed: number;
  violations: Violation[];
}

/** How many payments of former rounds are asked for again after each round. */
const askedAgain = 10;

/** Plays rounds of load and accidents until the first violation, whose evidence it leaves in the folder. */
export async function crashTest(options: CrashTestOptions): Promise<CrashTestSummary> {
  const random = seededRandom(options.seed);
  const world = new World(options.folder, options.timeScale);
  const summary: CrashTestSummary = {
    rounds: 0,
    kills: 0,
    payments: 0,
    endings: {},
    reversed: 0,
    violations: [],
  };
  const all: TillPayment[] = [];
  await world.start();
  try {
    while (summary.rounds < options.rounds && summary.violations.length === 0) {
      const name = `s${options.seed}-r${summary.rounds}`;
      const round = await playRound(world, random, name);
      const findings = await checkRound(world, round, some(random, all));
      summary.violations = findings.violations;
      summary.reversed += findings.reversed;
      all.push(...round.payments);
      count(summary, round);
      if (summary.violations.length > 0) await dump(world, round, summary.violations, options);
      options.progress?.(summary);
    }
  } finally {
    await world.stop();
  }
  return summary;
}

/** Twice: while what was lost is still gone, and once more when it is back. */
async function checkRound(world: World, round: Round, earlier: TillPayment[]): Promise<Findings> {
  const findings = await check(world, round.payments, earlier);
  if (findings.violations.length > 0 || round.accidents.every(({ comesBack }) => comesBack)) return findings;
  await round.bringBack();
  return check(world, round.payments, []);
}

function some(random: Random, all: readonly TillPayment[]): TillPayment[] {
  return all.length === 0
    ? []
    : Array.from({ length: askedAgain }, () => all[random.int(all.length)] as TillPayment);
}

function count(summary: CrashTestSummary, { payments, accidents }: Round): void {
  summary.rounds++;
  summary.kills += accidents.length + accidents.filter(({ stillbornMs }) => stillbornMs !== undefined).length;
  summary.payments += payments.length;
  for (const { told } of payments) {
    const ending = told[0] === undefined ? 'not asked' : endingOf(told[0]);
    summary.endings[ending] = (summary.endings[ending] ?? 0) + 1;
  }
}

function endingOf(answer: string): string {
  const { response } = JSON.parse(answer) as { response: { result: string; errorCondition?: string } };
  return response.errorCondition ?? 'approved';
}

async function dump(
  world: World,
  round: Round,
  violations: Violation[],
  options: CrashTestOptions,
): Promise<void> {
  const folder = join(options.folder, 'violation');
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: unknown) =>
    writeFileSync(
      join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    );
  write('violations.json', violations);
  write('accidents.txt', round.accidents.map(accidentText).join('\n'));
  write('payments.json', round.payments);
  write('processes.log', world.log);
  write('journal.json', await control<unknown>(world, '/control/journal?limit=10000').catch(String));
  write('ledger.json', await control<unknown>(world, '/control/ledger?limit=1000').catch(String));
}
