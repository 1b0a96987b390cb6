import type { Actor } from 'xstate';
import { memoize } from '../../shared/memoize.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { PresentedCard } from '../cards/presented-card.ts';
import type { Pacing } from '../payment/pacing.ts';
import { type PaymentMachine, paymentMachine } from '../payment/payment.machine.ts';
import type { PaymentContext, PaymentEffects, PaymentEvent } from '../payment/payment-context.ts';
import { startMachine } from './start-machine.ts';

interface PaymentDialogueParts {
  readonly poiId: string;
  readonly runtime: Runtime;
  readonly pacing: Pacing;
  readonly effects: PaymentEffects;
}

export interface DialogueListener {
  /** Called when the payment's state, or something it shows, changed. */
  changed(): void;
  /** Called when something failed that should never fail: the terminal has to start again. */
  broke(error: unknown): void;
}

/** One machine for each pacing: all terminals of a process have the same. */
const machineAt = memoize(paymentMachine);

/** A terminal's payment machine, made when it is first used. It alone knows the card in the slot. */
export class PaymentDialogue {
  #parts: PaymentDialogueParts;
  #listener: DialogueListener;
  #actor: Actor<PaymentMachine> | undefined;
  /** The event that is being sent to the machine. */
  #sending: PaymentEvent | undefined;

  constructor(parts: PaymentDialogueParts, listener: DialogueListener) {
    this.#parts = parts;
    this.#listener = listener;
  }

  /** The card in the slot, whether it pays or not. */
  get slot(): PresentedCard | undefined {
    return this.#actor?.getSnapshot().context.slot;
  }

  /** The payment now on the screen, and what it is doing; undefined while there is none. */
  get payment(): { state: string; context: PaymentContext } | undefined {
    const snapshot = this.#actor?.getSnapshot();
    if (!snapshot || snapshot.value === 'waiting') return undefined;
    return { state: snapshot.value as string, context: snapshot.context };
  }

  /** Whether a payment goes on only if a person does something. */
  get waitsForPerson(): boolean {
    return this.#actor?.getSnapshot().hasTag('person') ?? false;
  }

  /** Sends an event to the machine. Before the first payment or card there is no machine, and any other event is dropped. */
  send(event: PaymentEvent): void {
    if (event.type === 'start' || event.type === 'inserted') this.#actor ??= this.#start(undefined);
    this.#sending = event;
    this.#actor?.send(event);
    this.#sending = undefined;
  }

  /** Ends permanently: no timer of a prompt is left behind. */
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

/** Gives the card in the slot after the machine failed over an event. A card that was moved stays where it was moved to. */
function slotAfter(
  event: PaymentEvent | undefined,
  before: PresentedCard | undefined,
): PresentedCard | undefined {
  if (event?.type === 'inserted') return event.presented;
  return event?.type === 'removed' ? undefined : before;
}
