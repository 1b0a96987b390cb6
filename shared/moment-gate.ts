import type { MomentPlan, MomentPlans, PaymentAtMoment } from './moment-plans.ts';
import type { MomentName } from './moments.ts';
import type { TimeHold } from './skipping/holds.ts';
import type { TimeWaits } from './skipping/time-waits.ts';

interface MomentGateParts {
  readonly plans: MomentPlans;
  readonly timeWaits: Pick<TimeWaits, 'holds'>;
  /**
   * Called at the beginning of a pause, with the moment at which the gate pauses. Called without a moment at the end of
   * the pause.
   */
  paused(at: MomentPlan['moment'] | undefined): void;
}

/**
 * A payment passes this gate at each moment that has a name (moments.ts). The gate decides when the work after the
 * moment is done: at once, after a pause, or never.
 */
export class MomentGate {
  readonly #parts: MomentGateParts;
  #paused: { at: MomentPlan['moment']; hold: TimeHold | undefined } | undefined;
  /** The work that waits for the end of a pause. */
  #queue: (() => void)[] = [];

  constructor(parts: MomentGateParts) {
    this.#parts = parts;
  }

  /** The moment at which the gate is paused. */
  get pausedAt(): MomentPlan['moment'] | undefined {
    return this.#paused?.at;
  }

  /**
   * Whether no plan is set, no moments are counted, and no pause is in progress. If so, callers need not use the gate.
   */
  get isIdle(): boolean {
    return !this.#parts.plans.any && this.#paused === undefined;
  }

  /**
   * Carries out the plan for a moment with `makeHappen`, and then does the work after the moment. If the plan ends the
   * gateway or cuts the terminal's power, this method returns 'over' and does not do the work.
   */
  pass<Result>(
    moment: MomentName,
    passing: PaymentAtMoment,
    makeHappen: (plan: MomentPlan) => 'goesOn' | 'over',
    work: () => Result,
  ): Result | Promise<Result> | 'over' {
    if (this.#paused) return this.afterPause(() => this.pass(moment, passing, makeHappen, work) as Result);
    const plan = this.#parts.plans.reached(moment, passing);
    if (plan?.action === 'pause') {
      this.#pause(plan);
      return this.afterPause(work);
    }
    return plan && makeHappen(plan) === 'over' ? 'over' : work();
  }

  /**
   * Does the work when the pause ends. If other work is already waiting for the end of the pause, that work is done
   * first.
   */
  afterPause<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#queue.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Ends a pause. The waiting work continues in order, until the next pause. */
  continue(): void {
    const paused = this.#paused;
    if (!paused) return;
    this.#paused = undefined;
    this.#parts.paused(undefined);
    while (!this.#paused) {
      const next = this.#queue.shift();
      if (!next) break;
      next();
    }
    paused.hold?.end('released');
  }

  /** Forgets the work that waits. */
  close(): void {
    this.#queue = [];
    this.#paused?.hold?.end('released');
    this.#paused = undefined;
  }

  /** Pauses the gate. If time is virtual, the clock stays stopped until the pause ends. */
  #pause({ moment: at }: MomentPlan): void {
    this.#paused = { at, hold: this.#parts.timeWaits.holds?.hold(`pause at ${at}`) };
    this.#parts.paused(at);
  }
}
