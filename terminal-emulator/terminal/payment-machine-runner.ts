import type { Actor } from 'xstate';
import { memoize } from '../../shared/memoize.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { PresentedCard } from '../cards/presented-card.ts';
import type { Pacing } from '../payment/pacing.ts';
import { makePaymentMachine, type PaymentMachine } from '../payment/payment.machine.ts';
import type { PaymentContext, PaymentEffects, PaymentMachineEvent } from '../payment/payment-context.ts';
import { startMachine } from './start-machine.ts';

interface PaymentDialogueParts {
  readonly poiId: string;
  readonly runtime: Runtime;
  readonly pacing: Pacing;
  readonly effects: PaymentEffects;
}

export interface PaymentMachineListener {
  /** Called when the state of the payment has changed, or when something that the screen shows has changed. */
  changed(): void;
  /** Called when something has failed that should never fail. The caller must then start the terminal again. */
  broke(error: unknown): void;
}

/** Returns the XState machine of a payment for this pacing. All terminals of a process share this machine. */
const machineAt = memoize(makePaymentMachine);

/**
 * Runs the payment machine of a terminal. Starts the machine when the machine is first needed. No other object knows
 * the card in the slot.
 */
export class PaymentMachineRunner {
  #parts: PaymentDialogueParts;
  #listener: PaymentMachineListener;
  #actor: Actor<PaymentMachine> | undefined;
  /** The event that the state machine is handling. */
  #sending: PaymentMachineEvent | undefined;

  constructor(parts: PaymentDialogueParts, listener: PaymentMachineListener) {
    this.#parts = parts;
    this.#listener = listener;
  }

  /** The card in the slot, even if the payment does not use this card. */
  get slot(): PresentedCard | undefined {
    return this.#actor?.getSnapshot().context.slot;
  }

  /** The payment on the screen, and the payment's state. Undefined if the screen shows no payment. */
  get payment(): { state: string; context: PaymentContext } | undefined {
    const snapshot = this.#actor?.getSnapshot();
    if (!snapshot || snapshot.value === 'waiting') return undefined;
    return { state: snapshot.value as string, context: snapshot.context };
  }

  /** Whether a payment continues only if a person does something. */
  get waitsForPerson(): boolean {
    return this.#actor?.getSnapshot().hasTag('person') ?? false;
  }

  /**
   * Sends an event to the state machine. The machine is started by the first payment or card; events before that are
   * dropped.
   */
  send(event: PaymentMachineEvent): void {
    if (event.type === 'start' || event.type === 'inserted') this.#actor ??= this.#start(undefined);
    this.#sending = event;
    this.#actor?.send(event);
    this.#sending = undefined;
  }

  /** Stops the payment machine and all timers of its prompts for ever. */
  close(): void {
    this.#actor?.stop();
  }

  #start(slot: PresentedCard | undefined): Actor<PaymentMachine> {
    const { poiId, runtime, pacing, effects } = this.#parts;
    const input = { effects, pacing, timeouts: runtime.timeouts, slot };
    return startMachine(machineAt(pacing), input, runtime, poiId, {
      changed: () => this.#listener.changed(),
      broke: (error) => {
        this.#actor = this.#start(slotAfter(this.#sending, this.slot));
        this.#listener.broke(error);
      },
    });
  }
}

/**
 * Returns the card in the slot after the state machine has failed during an event. If the event inserted a card, the
 * card is in the slot. If the event removed the card, the slot is empty.
 */
function slotAfter(
  event: PaymentMachineEvent | undefined,
  before: PresentedCard | undefined,
): PresentedCard | undefined {
  if (event?.type === 'inserted') return event.presented;
  return event?.type === 'removed' ? undefined : before;
}
