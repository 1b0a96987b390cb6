import type { AbortRequest } from '../../shared/nexo/bodies.ts';
import type { PaymentMachineEvent } from '../payment/payment-context.ts';
import type { OrderMessage } from '../payment/payment-order.ts';
import type { EncodedReceipt } from '../receipts/receipt-copies.ts';
import { PaymentAcceptor } from './payment-acceptor.ts';
import { PaymentEffectRunner } from './payment-effect-runner.ts';
import { type PaymentMachineListener, PaymentMachineRunner } from './payment-machine-runner.ts';
import type { PaymentParts } from './payment-parts.ts';
import { recoverAfterPowerCut } from './payment-recovery.ts';
import { PaymentSettler, type SettledPayment } from './payment-settlement.ts';
import { VolatileState } from './volatile-state.ts';

type PaymentControllerParts = Omit<PaymentParts, 'volatile'>;

interface PaymentListener extends PaymentMachineListener {
  printed(receipt: EncodedReceipt, transactionId: string): void;
}

/** The objects that handle a payment, from the payment's request to its outcome. */
interface PaymentFlow {
  readonly settlement: PaymentSettler;
  readonly dialogue: PaymentMachineRunner;
  readonly acceptor: PaymentAcceptor;
}

/**
 * Passes payment requests to the payment's state machine, and passes the machine's results to the memory and the
 * gateway. The order is always: write to the memory, then act, then acknowledge. With this order, nothing is lost
 * (B64).
 */
export class PaymentController {
  #parts: PaymentControllerParts;
  #listener: PaymentListener;
  #volatile: VolatileState;
  #madeFlow: PaymentFlow | undefined;

  constructor(parts: PaymentControllerParts, listener: PaymentListener) {
    this.#parts = parts;
    this.#listener = listener;
    this.#volatile = new VolatileState(listener);
  }

  get slot(): PaymentMachineRunner['slot'] {
    return this.#madeFlow?.dialogue.slot;
  }

  get payment(): PaymentMachineRunner['payment'] {
    return this.#madeFlow?.dialogue.payment;
  }

  get waitsForPerson(): boolean {
    return this.#madeFlow?.dialogue.waitsForPerson ?? false;
  }

  /** Whether there is a payment without an outcome. */
  get busy(): boolean {
    return this.#volatile.current !== undefined;
  }

  isUnderWay(serviceId: string): boolean {
    return this.#volatile.current?.sale.serviceId === serviceId;
  }

  /** Tells the state machine what a person or the host has done. */
  input(event: PaymentMachineEvent): void {
    this.#flow.dialogue.send(event);
  }

  requested(request: OrderMessage): Promise<void> {
    return this.#flow.acceptor.requested(request);
  }

  abort(request: AbortRequest): void {
    this.#flow.acceptor.abort(request);
  }

  recall(): Promise<boolean> {
    const settle = (settled: SettledPayment) => this.#flow.settlement.settle(settled);
    return recoverAfterPowerCut({ ...this.#parts, volatile: this.#volatile, settle });
  }

  loseVolatile(): void {
    this.#volatile.lose();
    this.#madeFlow?.dialogue.send({ type: 'power.lost' });
  }

  /**
   * Closes the controller for ever. The payment under way does not continue, and failed attempts to read the memory
   * are not repeated.
   */
  close(): void {
    this.#volatile.lose();
    this.#madeFlow?.dialogue.close();
  }

  /**
   * These objects are made when they are first needed. If a process runs ten thousand terminals, most of them never
   * have a payment, so they never need these objects.
   */
  get #flow(): PaymentFlow {
    this.#madeFlow ??= createFlow(this.#parts, this.#volatile, this.#listener, () => this.loseVolatile());
    return this.#madeFlow;
  }
}

function createFlow(
  parts: PaymentControllerParts,
  volatile: VolatileState,
  listener: PaymentListener,
  loseVolatile: () => void,
): PaymentFlow {
  const { poiId } = parts.terminal;
  const settlement = new PaymentSettler({ ...parts, poiId, volatile });
  const effects = new PaymentEffectRunner({ ...parts, volatile, settlement }, (receipt, transactionId) =>
    listener.printed(receipt, transactionId),
  );
  const dialogue = new PaymentMachineRunner({ ...parts, poiId, effects }, listener);
  const acceptor = new PaymentAcceptor({ ...parts, volatile, settlement, dialogue }, loseVolatile);
  return { settlement, dialogue, acceptor };
}
