import { join } from 'node:path';
import { type Random, seededRandom } from '../../shared/random.ts';
import { check, type Violation } from '../load/check.ts';
import { BackOfficeCheck } from '../load/check-back-office.ts';
import { leaveEvidence } from '../load/evidence.ts';
import type { PosPayment } from '../load/pos-api.ts';
import { WebhookReceiver } from '../load/webhook-receiver.ts';
import { countLoad, countMade, Tally } from './tally.ts';
import type { Kind, Means, Played, Trial, TrialOptions } from './trial.ts';

interface RunOptions extends Partial<TrialOptions> {
  seed: number;
  folder: string;
  say?(text: string): void;
  progress?(summary: TrialSummary): void;
}

export interface TrialSummary {
  rounds: number;
  tally: Tally;
  violations: Violation[];
}

const forEver = { rounds: Number.POSITIVE_INFINITY, minutes: Number.POSITIVE_INFINITY };
const unlessUsual: TrialOptions = {
  ...forEver,
  timeScale: 1,
  gateways: 1,
  ownLinks: false,
  terminals: 0,
  paying: 0,
};

/** How many payments of former rounds are asked for again after each round. */
const askedAgain = 10;

/** Plays rounds of a kind of trial until the first violation, whose evidence it leaves in the folder. */
export async function runTrial(kind: Kind, options: RunOptions): Promise<TrialSummary> {
  const random = seededRandom(options.seed);
  const receiver = await WebhookReceiver.start(random, kind.anyTime);
  const tally = new Tally();
  const say = options.say ?? (() => {});
  const isLimited = options.rounds !== undefined || options.minutes !== undefined;
  const usual = { ...unlessUsual, ...kind.usual, ...(isLimited && forEver) };
  const means = { ...usual, ...options, random, receiver, tally, say };
  const trial = await kind.open(means);
  const rounds = new Rounds(trial, means, `s${options.seed}`);
  try {
    await rounds.playAll(options.progress);
    rounds.summary.violations.push(...trial.findingsAtEnd());
    if (rounds.summary.violations.length > 0) await rounds.leaveEvidence(join(options.folder, 'violation'));
  } finally {
    receiver.stop();
    await trial.remove();
  }
  return rounds.summary;
}

class Rounds {
  readonly summary: TrialSummary;
  readonly #trial: Trial;
  readonly #means: Means;
  readonly #name: string;
  readonly #rules: Rules;
  #last: Played | undefined;

  constructor(trial: Trial, means: Means, name: string) {
    this.summary = { rounds: 0, tally: means.tally, violations: [] };
    this.#trial = trial;
    this.#means = means;
    this.#name = name;
    this.#rules = new Rules(trial, means);
  }

  async playAll(progress: RunOptions['progress']): Promise<void> {
    const { rounds, minutes } = this.#means;
    const untilMs = performance.now() + minutes * 60_000;
    const trial = this.#trial;
    try {
      await trial.start();
      if (trial.warmUp) await this.#judge(await trial.warmUp(`${this.#name}-warm`));
      while (this.#isClean && this.summary.rounds < rounds && performance.now() < untilMs) {
        const played = await trial.play(`${this.#name}-r${this.summary.rounds++}`);
        await this.#judge(played);
        progress?.(this.summary);
        if (this.#isClean) trial.forget();
      }
    } finally {
      await trial.stop();
    }
  }

  /** After the processes have ended. */
  async leaveEvidence(folder: string): Promise<void> {
    const { load, accidents } = this.#last ?? { load: { payments: [], office: [] }, accidents: [] };
    const { violations } = this.summary;
    await leaveEvidence(folder, this.#trial.world, this.#means.receiver, { ...load, accidents }, violations);
  }

  get #isClean(): boolean {
    return this.summary.violations.length === 0;
  }

  async #judge(played: Played): Promise<void> {
    this.#last = played;
    countLoad(this.#means.tally, played.load);
    this.summary.violations.push(...(await this.#rules.findings(played)), ...(await this.#trial.findings()));
  }
}

/** The rules for all kinds: nothing is lost, nothing is paid twice. */
class Rules {
  readonly #trial: Trial;
  readonly #receiver: WebhookReceiver;
  readonly #random: Random;
  readonly #tally: Tally;
  readonly #backOffice: BackOfficeCheck;
  readonly #payments: PosPayment[] = [];

  constructor(trial: Trial, { random, tally, receiver }: Means) {
    this.#trial = trial;
    this.#receiver = receiver;
    this.#random = random;
    this.#tally = tally;
    this.#backOffice = new BackOfficeCheck(trial.world, receiver);
  }

  async findings(played: Played): Promise<Violation[]> {
    const ofPayments = await this.#ofPayments(played);
    const { violations, made } = await this.#backOffice.check(played.load.office, (below) =>
      this.#random.int(below),
    );
    countMade(this.#tally, made);
    this.#tally.set('made', 'messages received', this.#receiver.taken.length);
    return [...ofPayments, ...violations];
  }

  /** Twice: while what was lost is still gone, and once more when it is back. */
  async #ofPayments({ load: { payments }, bringBack }: Played): Promise<Violation[]> {
    const { violations, reversed } = await check(this.#trial.world, payments, this.#earlier());
    this.#tally.count('payments', 'authorizations reversed', reversed);
    this.#payments.push(...payments);
    if (violations.length > 0 || !bringBack) return violations;
    await bringBack();
    return (await check(this.#trial.world, payments, [])).violations;
  }

  /** Payments of former rounds, drawn by the dice: their keys must still answer. */
  #earlier(): PosPayment[] {
    const all = this.#payments;
    if (all.length === 0) return [];
    return Array.from({ length: askedAgain }, () => all[this.#random.int(all.length)] as PosPayment);
  }
}
