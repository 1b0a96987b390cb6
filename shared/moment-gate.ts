import type { Done, InFlight } from './in-flight.ts';
import type { MomentPlan, MomentPlans, Passing } from './moment-plans.ts';
import type { MomentName } from './moments.ts';

interface MomentGateParts {
  readonly plans: MomentPlans;
  readonly inFlight: InFlight;
  /** Told of the beginning of a pause, with its moment, and of the end. */
  paused(at: MomentPlan['moment'] | undefined): void;
}

/** What goes on after what happened at a moment: all, or nothing any more. */
type Afterwards = 'goesOn' | 'isOver';

/** Where payments pass moments: what comes after one is done at once, after a pause, or never. */
export class MomentGate {
  readonly #parts: MomentGateParts;
  #paused: { at: MomentPlan['moment']; resume: Done } | undefined;
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
    paused.resume();
  }

  /** What waits is forgotten. */
  close(): void {
    this.#queue = [];
    this.#paused?.resume();
    this.#paused = undefined;
  }

  /** Time is held: what waits for the end of the pause is in flight. */
  #pause({ moment: at }: MomentPlan): void {
    this.#paused = { at, resume: this.#parts.inFlight.begin() };
    this.#parts.paused(at);
  }
}
