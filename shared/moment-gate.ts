import type { MomentPlan, MomentPlans, Passing } from './moment-plans.ts';
import type { MomentName } from './moments.ts';
import type { Hold } from './skipping/holds.ts';
import type { TimeWaits } from './skipping/time-waits.ts';

interface MomentGateParts {
  readonly plans: MomentPlans;
  readonly timeWaits: Pick<TimeWaits, 'holds'>;
  /** Told of the beginning of a pause, with its moment, and of the end. */
  paused(at: MomentPlan['moment'] | undefined): void;
}

/** What goes on after what happened at a moment: all, or nothing any more. */
type Afterwards = 'goesOn' | 'isOver';

/** Where payments pass moments: what comes after one is done at once, after a pause, or never. */
export class MomentGate {
  readonly #parts: MomentGateParts;
  #paused: { at: MomentPlan['moment']; hold: Hold | undefined } | undefined;
  /** What waits for the end of a pause. */
  #queue: (() => void)[] = [];

  constructor(parts: MomentGateParts) {
    this.#parts = parts;
  }

  /** Where it is paused. */
  get pausedAt(): MomentPlan['moment'] | undefined {
    return this.#paused?.at;
  }

  /** Whether anything can happen here now, or waits; where not, nobody need ask at a moment. */
  get isIdle(): boolean {
    return !this.#parts.plans.any && this.#paused === undefined;
  }

  /**
   * Does what comes after a moment, once `happens` has done what is set for it.
   *
   * @returns undefined where it is over with the moment
   */
  pass<Result>(
    moment: MomentName,
    passing: Passing,
    happens: (plan: MomentPlan) => Afterwards,
    then: () => Result,
  ): Result | Promise<Result> | undefined {
    if (this.#paused) return this.afterwards(() => this.pass(moment, passing, happens, then) as Result);
    const plan = this.#parts.plans.reached(moment, passing);
    if (plan?.action === 'pause') {
      this.#pause(plan);
      return this.afterwards(then);
    }
    return plan && happens(plan) === 'isOver' ? undefined : then();
  }

  /** Does it when the pause is over, after what came before. */
  afterwards<Result>(then: () => Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#queue.push(() => {
        try {
          resolve(then());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Ends a pause: what waits goes on in its order, until the next. */
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

  /** What waits is forgotten. */
  close(): void {
    this.#queue = [];
    this.#paused?.hold?.end('released');
    this.#paused = undefined;
  }

  /** Time is held until somebody ends the pause. */
  #pause({ moment: at }: MomentPlan): void {
    this.#paused = { at, hold: this.#parts.timeWaits.holds?.hold(`pause at ${at}`) };
    this.#parts.paused(at);
  }
}
