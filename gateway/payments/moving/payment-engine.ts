import { Engine } from '../../engine/engine.ts';
import type { KeyPartition } from '../../engine/partition.ts';
import type { Input, Step } from '../core/step.ts';
import { PaymentEffectRunner } from './payment-effects.ts';
import { PaymentEngineAdapter, type PaymentInputQueue } from './payment-engine-adapter.ts';
import type { PaymentMomentReporter } from './payment-moments.ts';
import type { PaymentWaiters, WaitEnd } from './waiters.ts';

/**
 * Decides which gateway runs a terminal's payments. `told` is called when this gateway answers the requests that wait
 * at this gateway for a payment. `told` then informs other gateways, because requests may wait there for the same
 * payment.
 */
interface PaymentPartition extends KeyPartition<Input, Step> {
  told?: (paymentId: string, woken: WaitEnd) => void;
}

type Parts = ConstructorParameters<typeof PaymentEngineAdapter>[0] &
  Omit<ConstructorParameters<typeof PaymentEffectRunner>[0], 'turns' | 'told'> & {
    lanes: ConstructorParameters<typeof Engine>[0]['lanes'];
    waiting: PaymentWaiters;
    moments?: PaymentMomentReporter;
  };

/**
 * Returns a function that makes the engine of payments. Its argument makes the {@link PaymentPartition}: a lone gateway
 * and one of several gateways use different partitions.
 */
export function makePaymentEngineFactory(on: Parts) {
  return <P extends PaymentPartition>(partition: (turns: PaymentInputQueue) => P) =>
    new Engine({
      ...on,
      watch: on.moments,
      held: () => on.moments?.held(),
      moving: new PaymentEngineAdapter(on),
      partition,
      effects: (turns: PaymentInputQueue, { told }: P) => new PaymentEffectRunner({ ...on, turns, told }),
    });
}

export type PaymentEngineFactory = ReturnType<typeof makePaymentEngineFactory>;
