import { MomentGate } from '../../shared/moment-gate.ts';
import { type MomentPlan, MomentPlans, type PaymentAtMoment } from '../../shared/moment-plans.ts';
import type { MomentName } from '../../shared/moments.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { EndableRuntime } from '../../shared/runtime-life.ts';

/**
 * Keeps the actions that tests have planned for the moments of payments. A moment is, for example, the commit of a
 * result (B280). The planned actions are kept even if one of them makes the gateway crash.
 */
export class GatewayMomentPlans {
  readonly plans = new MomentPlans();
  readonly gate: MomentGate;
  /**
   * Makes the gateway crash. The crash ends the gateway's present life. The function is undefined if the gateway
   * cannot start again within its process.
   */
  crash: ((at: MomentPlan['moment']) => void) | undefined;
  /**
   * The present life of the gateway; undefined if the gateway has only one life. After a crash, no planned action is
   * carried out until the next life has begun.
   */
  presentLife: EndableRuntime | undefined;

  constructor({ timeWaits, journal }: Pick<Runtime, 'timeWaits' | 'journal'>) {
    this.gate = new MomentGate({
      plans: this.plans,
      timeWaits,
      paused: (at) => journal.add('moment.paused', at === undefined ? {} : { at }),
    });
  }

  /** Makes the object that handles the moments of payments during one life of the gateway. */
  inLife(life: EndableRuntime | undefined): GatewayLifeMoments {
    return new GatewayLifeMoments(this, life);
  }
}

/**
 * The moments of payments in one life of the gateway, from the life's start to its crash. After the crash, this life
 * carries out no planned actions.
 */
export class GatewayLifeMoments {
  readonly #all: GatewayMomentPlans;
  readonly #life: EndableRuntime | undefined;

  constructor(all: GatewayMomentPlans, life: EndableRuntime | undefined) {
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

  /** Returns true if no test has planned an action for a moment, and nothing waits at a moment. */
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
   * Calls `then` after a moment for which a test may have planned an action. Usually `then` is called at once. If
   * there is a pause, `then` is called after the pause. If the gateway crashes, `then` is never called.
   */
  pass(moment: MomentName, passing: PaymentAtMoment, cut: () => void, then: () => void): void {
    if (this.#life?.isOver) return;
    const makeHappen = (plan: MomentPlan) => {
      if (plan.action === 'cutConnection') cut();
      if (plan.action === 'crash') this.#all.crash?.(plan.moment);
      return this.#life?.isOver ? 'over' : 'goesOn';
    };
    void this.#all.gate.pass(moment, passing, makeHappen, then);
  }
}
