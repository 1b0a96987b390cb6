import { Engine } from '../../engine/engine.ts';
import type { Partition } from '../../engine/partition.ts';
import type { Input, Step } from '../core/step.ts';
import { Interpreter } from './interpreter.ts';
import type { PaymentMoments } from './payment-moments.ts';
import { PaymentMoves, type PaymentTurns } from './payment-moves.ts';
import type { Waiters, Woken } from './waiters.ts';

/**
 * Decides which gateway runs a terminal. `told` is called when requests that wait for a payment are answered, because
 * requests at other gateways may wait for the same payment.
 */
interface PaymentPartition extends Partition<Input, Step> {
  told?: (paymentId: string, woken: Woken) => void;
}

type Parts = ConstructorParameters<typeof PaymentMoves>[0] &
  Omit<ConstructorParameters<typeof Interpreter>[0], 'turns' | 'told'> & {
    lanes: ConstructorParameters<typeof Engine>[0]['lanes'];
    waiting: Waiters;
    moments?: PaymentMoments;
  };

/** Makes the engine that runs payments. It serves a lone gateway or one of several. */
export function paymentEngine(on: Parts) {
  return <P extends PaymentPartition>(partition: (turns: PaymentTurns) => P) =>
    new Engine({
      ...on,
      watch: on.moments,
      held: () => on.moments?.held(),
      moving: new PaymentMoves(on),
      partition,
      effects: (turns: PaymentTurns, { told }: P) => new Interpreter({ ...on, turns, told }),
    });
}

export type EngineWith = ReturnType<typeof paymentEngine>;
