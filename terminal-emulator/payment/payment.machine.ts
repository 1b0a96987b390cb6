import { makeCardStates } from './card-states.ts';
import type { Pacing } from './pacing.ts';
import { makeContextWithoutPayment } from './payment-context.ts';
import { paymentMachineSetup } from './payment-setup.ts';
import { makePinStates } from './pin-states.ts';
import { makeResultStates } from './result-states.ts';
import { tipStates } from './tip-states.ts';
import { makeBeginPaymentTransitions } from './transitions.ts';

/**
 * A payment on the terminal, from the request to the printed receipt. One actor lives as long as its terminal has
 * power. The actor handles one payment after another, so the program need not make an actor for each payment.
 *
 * tip → card → application → PIN → host → result → card out → print; at any prompt, the payment can end early.
 *
 * The machine leaves out states that take no time at this pacing, because passing through a state still costs computing
 * time. It leaves out timers that cannot fire for the same reason.
 */
export function makePaymentMachine(pacing: Pacing) {
  return paymentMachineSetup.createMachine({
    id: 'payment',
    context: ({ input }) => makeContextWithoutPayment(input),
    initial: 'waiting',
    // In every state, the machine notices a card that goes into or out of the slot, and a power cut ends the payment.
    on: {
      inserted: { actions: 'fillSlot' },
      removed: { actions: 'emptySlot' },
      'power.lost': { target: '.waiting' },
    },
    states: {
      waiting: { tags: 'nobody', entry: 'forget', on: { start: makeBeginPaymentTransitions() } },
      ...tipStates,
      ...makeCardStates(pacing),
      ...makePinStates(pacing),
      ...makeResultStates(pacing),
    },
  });
}

export type PaymentMachine = ReturnType<typeof makePaymentMachine>;
