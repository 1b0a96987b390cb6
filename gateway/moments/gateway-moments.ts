import type { Life } from '../../shared/life.ts';
import { MomentGate } from '../../shared/moment-gate.ts';
import { type MomentPlan, MomentPlans, type PassingPayment } from '../../shared/moment-plans.ts';
import type { MomentName } from '../../shared/moments.ts';
import type { Runtime } from '../../shared/runtime.ts';

/** Keeps what is set for the moments that payments pass at the gateway (B280). It outlives a crash that was set. */
export class GatewayMoments {
  readonly plans = new MomentPlans();
  readonly gate: MomentGate;
  /** Ends this life of the gateway; undefined if it cannot begin another. */
  die: ((at: MomentPlan['moment']) => void) | undefined;
  /** The present life; undefined if the gateway has only one. While another life begins, nothing happens at moments. */
  present: Life | undefined;

  constructor({ timeWaits, journal }: Pick<Runtime, 'timeWaits' | 'journal'>) {
    this.gate = new MomentGate({
      plans: this.plans,
      timeWaits,
      paused: (at) => journal.add('moment.paused', at === undefined ? {} : { at }),
    });
  }

  /** The moments of one life. */
  of(life: Life | undefined): LifeMoments {
    return new LifeMoments(this, life);
  }
}

/** The moments of one life of the gateway: after its death a life has none. */
export class LifeMoments {
  readonly #all: GatewayMoments;
  readonly #life: Life | undefined;

  constructor(all: GatewayMoments, life: Life | undefined) {
    this.#all = all;
    this.#life = life;
  }

  get plans(): MomentPlans {
    return this.#all.plans;
  }

  get pausedAt(): MomentPlan['moment'] | undefined {
    return this.#all.gate.pausedAt;
  }

  /** Whether this gateway can die within its process, and begin again. */
  get canCrash(): boolean {
    return this.#all.die !== undefined;
  }

  /** Whether nothing is set, and nothing waits. */
  get isIdle(): boolean {
    if (this.#life?.isOver) return false;
    return this.#all.gate.isIdle || this.#all.present !== this.#life;
  }

  continue(): void {
    this.#all.gate.continue();
  }

  /** Resolves with the end of a pause; undefined if there is none. */
  held(): Promise<void> | undefined {
    const { gate } = this.#all;
    return gate.pausedAt === undefined ? undefined : gate.afterPause(() => {});
  }

  /** Continues after a moment: at once, after a pause, or never if the gateway dies at it. */
  pass(moment: MomentName, passing: PassingPayment, cut: () => void, then: () => void): void {
    if (this.#life?.isOver) return;
    const makeHappen = (plan: MomentPlan) => {
      if (plan.action === 'cutConnection') cut();
      if (plan.action === 'crash') this.#all.die?.(plan.moment);
      return this.#life?.isOver ? 'over' : 'goesOn';
    };
    void this.#all.gate.pass(moment, passing, makeHappen, then);
  }
}
