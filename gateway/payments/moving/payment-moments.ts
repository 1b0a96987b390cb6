import type { CommitResult } from '../../../shared/database/change.ts';
import type { CommitInterceptor } from '../../engine/engine.ts';
import type { GatewayLifeMoments } from '../../moments/gateway-moments.ts';
import type { Effect } from '../core/effects.ts';
import { type CommitName, nameCommit, type Step } from '../core/step.ts';
import type { PaymentWaiters } from './waiters.ts';

/** The effects that send something out of the gateway. All other effects change something only inside the gateway. */
export const outgoingEffectNames = ['deliver', 'abort', 'ask', 'reply', 'answer'] as const;
type MomentEffect = Extract<Effect, { do: (typeof outgoingEffectNames)[number] }>;

/** The payment and the terminal that a moment is about. A moment is a step at which a test can act. */
interface Subject {
  readonly id: string | undefined;
  /** The terminal's `poi_id`. */
  readonly terminal: string | undefined;
}

type Around = (which: 'before' | 'after', then: () => void) => void;

/**
 * Reports the moments of payments, at which a test can act (B280). There is a moment before and after each commit.
 * There is also a moment before and after each effect that sends something out of the gateway.
 */
export class PaymentMomentReporter implements CommitInterceptor<Step> {
  readonly #moments: GatewayLifeMoments;
  readonly #waiting: PaymentWaiters;

  constructor(moments: GatewayLifeMoments, waiting: PaymentWaiters) {
    this.#moments = moments;
    this.#waiting = waiting;
  }

  get isIdle(): boolean {
    return this.#moments.isIdle;
  }

  /** Resolves when a pause ends; undefined if there is no pause. */
  held(): Promise<void> | undefined {
    return this.#moments.held();
  }

  commits(step: Step, commit: () => Promise<CommitResult>): Promise<CommitResult> {
    const name = nameCommit(step.records);
    if (name === undefined) return commit();
    const pass = this.#around(name, subjectOf(step));
    return new Promise((resolve, reject) => {
      const committed = (result: CommitResult) => {
        if (result.is !== 'applied') return resolve(result);
        pass('after', () => resolve(result));
      };
      pass('before', () => void commit().then(committed, reject));
    });
  }

  /** Carries out effects in their order, until the gateway stops. */
  effects(effects: readonly Effect[], step: Step | undefined, perform: (effect: Effect) => void): void {
    const [effect, ...others] = effects;
    if (!effect) return;
    const goOn = () => this.effects(others, step, perform);
    if (isMoment(effect)) {
      const pass = this.#around(effect.do, subjectOfEffect(effect, step));
      pass('before', () => {
        perform(effect);
        pass('after', goOn);
      });
    } else {
      const held = this.held();
      if (held) return void held.then(() => this.effects(effects, step, perform));
      perform(effect);
      goOn();
    }
  }

  /**
   * Reports the moments before and after a commit or an effect. Before that, notes which requests wait for the payment.
   * So a test can still cut the connections of these requests after the effect has answered them.
   */
  #around(name: MomentEffect['do'] | CommitName, { id, terminal }: Subject): Around {
    const cut = id === undefined ? () => {} : this.#waiting.cutter(id);
    return (which, then) => this.#moments.pass(`${which}.${name}`, { terminal }, cut, then);
  }
}

function isMoment(effect: Effect): effect is MomentEffect {
  return (outgoingEffectNames as readonly string[]).includes(effect.do);
}

function subjectOf({ state, concluded }: Step): Subject {
  const payment = concluded?.payment ?? (state.is === 'none' ? undefined : state.payment);
  return { id: payment?.id, terminal: payment?.poiId };
}

function subjectOfEffect(effect: MomentEffect, step: Step | undefined): Subject {
  if ('payment' in effect) return { id: effect.payment.id, terminal: effect.payment.poiId };
  if (effect.do === 'reply') return { id: effect.response.PaymentReference, terminal: effect.terminal.poiId };
  return { id: effect.paymentId, terminal: step && subjectOf(step).terminal };
}
