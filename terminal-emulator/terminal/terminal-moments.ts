import { MomentGate } from '../../shared/moment-gate.ts';
import type { MomentPlan, MomentPlans } from '../../shared/moment-plans.ts';
import { type MomentName, moments } from '../../shared/moments.ts';
import type { Runtime } from '../../shared/runtime.ts';

interface TerminalMomentsParts {
  readonly poiId: string;
  readonly plans: MomentPlans;
  readonly runtime: Pick<Runtime, 'timeWaits' | 'journal'>;
}

/** The terminal at which faults happen. */
interface FaultyTerminal {
  hasPower(): boolean;
  cut(what: 'power' | 'network', plan: { moment: string; backMs?: number }): void;
}

/**
 * Makes planned faults happen (B280): the power or the network fails, or everything pauses. A fault is planned for a
 * step (moment) of a payment at its terminal.
 */
export class PlannedFaultTrigger {
  readonly #poiId: string;
  readonly #terminal: FaultyTerminal;
  readonly #gate: MomentGate;
  #paymentState = 'none';

  constructor({ poiId, plans, runtime }: TerminalMomentsParts, terminal: FaultyTerminal) {
    this.#poiId = poiId;
    this.#terminal = terminal;
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
   * Must be called when the payment's state machine enters a state. `state` is 'none' if there is no payment. A fault
   * that is planned for this state can then happen.
   */
  entered(state: string): void {
    if (state === this.#paymentState) return;
    this.#paymentState = state;
    if (isMoment(state)) void this.pass(state, () => {});
  }

  /**
   * Does the work that follows a step of the payment: at once or, if a pause is planned for this step, after the
   * pause. If the power fails at this step, the work is not done, and the result is 'over'.
   */
  pass<Result>(
    moment: MomentName,
    work: () => Result,
    { approved = false } = {},
  ): Result | Promise<Result> | 'over' {
    if (this.#gate.isIdle || !this.#terminal.hasPower()) return work();
    const passing = { terminal: this.#poiId, approved };
    return this.#gate.pass(moment, passing, (plan) => this.#makeHappen(plan), work);
  }

  /** Does the work after the present pause has ended. */
  afterPause<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    return this.#gate.afterPause(work);
  }

  /** Ends a pause. */
  continue(): void {
    this.#gate.continue();
  }

  close(): void {
    this.#gate.close();
  }

  #makeHappen(plan: MomentPlan): 'goesOn' | 'over' {
    if (plan.action === 'powerOff') this.#terminal.cut('power', plan);
    if (plan.action === 'networkOff') this.#terminal.cut('network', plan);
    return plan.action === 'powerOff' ? 'over' : 'goesOn';
  }
}

function isMoment(state: string): state is MomentName {
  return Object.hasOwn(moments, state);
}
