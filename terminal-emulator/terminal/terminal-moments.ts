import { MomentGate } from '../../shared/moment-gate.ts';
import type { MomentPlan, MomentPlans } from '../../shared/moment-plans.ts';
import { type MomentName, moments } from '../../shared/moments.ts';
import type { Runtime } from '../../shared/runtime.ts';

interface TerminalMomentsParts {
  readonly poiId: string;
  readonly plans: MomentPlans;
  readonly runtime: Pick<Runtime, 'timeWaits' | 'journal'>;
}

/** The effects that a fault at a step of a payment can have on the terminal. */
interface TerminalMomentsListener {
  /** Whether the terminal has power. */
  isOn(): boolean;
  cut(what: 'power' | 'network', plan: { moment: string; backMs?: number }): void;
}

/** Handles the steps of a payment at its terminal (moments) at which a planned fault can happen (B280). */
export class TerminalMoments {
  readonly #poiId: string;
  readonly #listener: TerminalMomentsListener;
  readonly #gate: MomentGate;
  #state: string | undefined;

  constructor({ poiId, plans, runtime }: TerminalMomentsParts, listener: TerminalMomentsListener) {
    this.#poiId = poiId;
    this.#listener = listener;
    this.#gate = new MomentGate({
      plans,
      timeWaits: runtime.timeWaits,
      paused: (at) =>
        runtime.journal.add('moment.paused', at === undefined ? {} : { at }, { terminal: poiId }),
    });
  }

  /** The step of the payment at which the terminal is paused; undefined if it is not paused. */
  get pausedAt(): MomentPlan['moment'] | undefined {
    return this.#gate.pausedAt;
  }

  /**
   * Must be called with each state of the payment's state machine. Entering a state is a step at which a fault can
   * happen.
   */
  isIn(state: string | undefined): void {
    if (state === this.#state) return;
    this.#state = state;
    if (state !== undefined && isMoment(state)) void this.pass(state, () => {});
  }

  /** Calls `then` after a step of the payment: at once, after a pause, or never if the power fails at that step. */
  pass<Result>(
    moment: MomentName,
    then: () => Result,
    approved = false,
  ): Result | Promise<Result> | undefined {
    const passes = this.#gate.isIdle || !this.#listener.isOn();
    if (passes) return then();
    const passing = { terminal: this.#poiId, approved };
    return this.#gate.pass(moment, passing, (plan) => this.#happens(plan), then);
  }

  /** Calls `then` once the present pause is over. */
  afterwards<Result>(then: () => Result | Promise<Result>): Promise<Result> {
    return this.#gate.afterwards(then);
  }

  continue(): void {
    this.#gate.continue();
  }

  close(): void {
    this.#gate.close();
  }

  #happens(plan: MomentPlan): 'goesOn' | 'isOver' {
    if (plan.action === 'powerOff') this.#listener.cut('power', plan);
    if (plan.action === 'networkOff') this.#listener.cut('network', plan);
    return plan.action === 'powerOff' ? 'isOver' : 'goesOn';
  }
}

function isMoment(state: string): state is MomentName {
  return Object.hasOwn(moments, state);
}
