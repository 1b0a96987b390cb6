import type { Done } from '../../shared/in-flight.ts';
import type { MomentPlan, MomentPlans } from '../../shared/moment-plans.ts';
import { type MomentName, moments } from '../../shared/moments.ts';
import type { Runtime } from '../../shared/runtime.ts';

interface TerminalMomentsParts {
  readonly poiId: string;
  readonly plans: MomentPlans;
  readonly runtime: Pick<Runtime, 'inFlight' | 'journal'>;
}

/** What is done to the terminal at a moment. */
interface TerminalMomentsListener {
  /** Whether it has power. */
  isOn(): boolean;
  cut(what: 'power' | 'network', plan: Extract<MomentPlan, { action: 'powerOff' | 'networkOff' }>): void;
}

/** The moments that a payment passes at its terminal, and what is set for them (B280). */
export class TerminalMoments {
  readonly #parts: TerminalMomentsParts;
  readonly #listener: TerminalMomentsListener;
  #state: string | undefined;
  #paused: { at: MomentPlan['moment']; resume: Done } | undefined;
  /** What waits for the end of a pause. */
  #queue: (() => void)[] = [];

  constructor(parts: TerminalMomentsParts, listener: TerminalMomentsListener) {
    this.#parts = parts;
    this.#listener = listener;
  }

  /** Where it is paused. */
  get pausedAt(): MomentPlan['moment'] | undefined {
    return this.#paused?.at;
  }

  /** The payment machine is in a state, which is a moment the first time. */
  isIn(state: string | undefined): void {
    if (state === this.#state) return;
    this.#state = state;
    if (this.#parts.plans.any && state !== undefined && isMoment(state)) void this.pass(state, () => {});
  }

  /** Does what comes after a moment: at once, after a pause, or never, where the power goes at it. */
  pass<Result>(
    moment: MomentName,
    then: () => Result,
    approved = false,
  ): Result | Promise<Result> | undefined {
    if (this.#paused) return this.afterwards(() => this.pass(moment, then, approved));
    if (!this.#parts.plans.any) return then();
    const plan = this.#reached(moment, approved);
    if (plan?.action === 'pause') {
      this.#pause(plan);
      return this.afterwards(then);
    }
    if (plan?.action === 'networkOff') this.#listener.cut('network', plan);
    else if (plan?.action === 'powerOff') {
      this.#listener.cut('power', plan);
      return undefined;
    }
    return then();
  }

  /** Does it once a pause is over; nothing is paused otherwise. */
  afterwards<Result>(then: () => Result | Promise<Result> | undefined): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#queue.push(() => {
        try {
          resolve(then() as Result);
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
    this.#parts.runtime.journal.add('terminal.paused', {}, { terminal: this.#parts.poiId });
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

  #reached(moment: MomentName, approved: boolean): MomentPlan | undefined {
    const { plans, poiId } = this.#parts;
    if (!this.#listener.isOn()) return undefined;
    return plans.reached(moment, { terminal: poiId, approved });
  }

  /** Time is held: what waits for the end of the pause is in flight. */
  #pause({ moment: at }: MomentPlan): void {
    const { runtime, poiId } = this.#parts;
    this.#paused = { at, resume: runtime.inFlight.begin() };
    runtime.journal.add('terminal.paused', { at }, { terminal: poiId });
  }
}

function isMoment(state: string): state is MomentName {
  return Object.hasOwn(moments, state);
}
