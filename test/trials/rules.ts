import { checkPayments, type Violation } from '../load/check.ts';
import { BackOfficeCheck } from '../load/check-back-office.ts';
import type { PosPayment } from '../load/pos-api.ts';
import { countMade } from './tally.ts';
import type { PlayedRound, RunningTrial, TrialContext } from './trial.ts';

/** After each round, the trial asks again for this many payments of earlier rounds. */
const askedAgain = 10;

/** Checks what must be true after each round of every kind of trial: nothing is lost, and nothing is paid twice. */
export class CommonTrialRules {
  readonly #trial: RunningTrial;
  readonly #means: TrialContext;
  readonly #backOffice: BackOfficeCheck;
  readonly #payments: PosPayment[] = [];

  constructor(trial: RunningTrial, means: TrialContext) {
    this.#trial = trial;
    this.#means = means;
    this.#backOffice = new BackOfficeCheck(trial.world, means.receiver);
  }

  async findings(played: PlayedRound): Promise<Violation[]> {
    const { random, tally, receiver } = this.#means;
    const ofPayments = await this.#ofPayments(played);
    const { violations, made } = await this.#backOffice.check(played.load.office, (below) =>
      random.int(below),
    );
    countMade(tally, made);
    tally.set('made', 'messages received', receiver.taken.length);
    return [...ofPayments, ...violations];
  }

  /** Checks twice: first while lost terminals are still away, and again when they have come back. */
  async #ofPayments({ load: { payments }, bringBack }: PlayedRound): Promise<Violation[]> {
    const { violations, reversed } = await checkPayments(this.#trial.world, payments, this.#earlier());
    this.#means.tally.count('payments', 'authorizations reversed', reversed);
    this.#payments.push(...payments);
    if (violations.length > 0 || !bringBack) return violations;
    await bringBack();
    return (await checkPayments(this.#trial.world, payments, [])).violations;
  }

  /** Draws payments of earlier rounds. The gateway must still answer their keys. */
  #earlier(): PosPayment[] {
    const all = this.#payments;
    const { random } = this.#means;
    if (all.length === 0) return [];
    return Array.from({ length: askedAgain }, () => all[random.int(all.length)] as PosPayment);
  }
}
