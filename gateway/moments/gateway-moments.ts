import { MomentGate } from '../../shared/moment-gate.ts';
import { type MomentPlan, MomentPlans, type PassingPayment } from '../../shared/moment-plans.ts';
import type { MomentName } from '../../shared/moments.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { RuntimeLife } from '../../shared/runtime-life.ts';

/**
 * Keeps the actions that tests have set for the moments of payments. A moment is, for example, the commit of a result
 * (B280). If an action makes the gateway crash, the actions survive the crash.
 */
export class GatewayMoments {
  readonly plans = new MomentPlans();
  readonly gate: MomentGate;
  /**
   * Makes the gateway crash, which ends its present life. It is undefined if the gateway cannot start again within its
   * process.
   */
  crash: ((at: MomentPlan['moment']) => void) | undefined;
  /**
   * The present life of the gateway; undefined if it has only one. While the next life begins, no action of a test is
   * carried out.
   */
  presentLife: RuntimeLife | undefined;

  constructor({ timeWaits, journal }: Pick<Runtime, 'timeWaits' | 'journal'>) {
    this.gate = new MomentGate({
      plans: this.plans,
      timeWaits,
      paused: (at) => journal.add('moment.paused', at === undefined ? {} : { at }),
    });
  }

  /** Makes the moments for one life of the gateway. */
  inLife(life: RuntimeLife | undefined): LifeMoments {
    return new LifeMoments(this, life);
  }
}

/**
 * The moments of payments in one life of the gateway, from its start to its crash. After the crash, actions that tests
 * have set are not carried out in this life.
 */
export class LifeMoments {
  readonly #all: GatewayMoments;
  readonly #life: RuntimeLife | undefined;

  constructor(all: GatewayMoments, life: RuntimeLife | undefined) {
    this.#all = all;
    this.#life = life;
  }

  get plans(): MomentPlans {
    return this.#all.plans;
  }

  get pausedAt(): MomentPlan['moment'] | undefined {
    return this.#all.gate.pausedAt;
  }

  /** Returns whether this gateway can crash and start again within its process. */
  get canCrash(): boolean {
    return this.#all.crash !== undefined;
  }

  /** Returns true if no test has set an action for a moment, and nothing waits at a moment. */
  get isIdle(): boolean {
    if (this.#life?.isOver) return false;
    return this.#all.gate.isIdle || this.#all.presentLife !== this.#life;
  }

  continue(): void {
    this.#all.gate.continue();
  }

  /** Resolves when a pause ends; undefined if there is no pause. */
  held(): Promise<void> | undefined {
    const { gate } = this.#all;
    return gate.pausedAt === undefined ? undefined : gate.afterPause(() => {});
  }

  /**
   * Calls `then` after a moment at which a test may have set an action. Usually `then` is called at once. It is called
   * later if there is a pause, and never if the gateway crashes.
   */
  pass(moment: MomentName, passing: PassingPayment, cut: () => void, then: () => void): void {
    if (this.#life?.isOver) return;
    const makeHappen = (plan: MomentPlan) => {
      if (plan.action === 'cutConnection') cut();
      if (plan.action === 'crash') this.#all.crash?.(plan.moment);
      return this.#life?.isOver ? 'over' : 'goesOn';
    };
    void this.#all.gate.pass(moment, passing, makeHappen, then);
  }
}
