import {
  cardRead,
  cardUnreadable,
  chipUnreadable,
  identifying,
  insertInstead,
  keyedExpiry,
  keyedNumber,
  presentCard,
  readingCard,
  swipeInstead,
} from './card-states.ts';
import { noPayment } from './payment-context.ts';
import { payment } from './payment-setup.ts';
import { approved, ended, failed, leaving, printing, removeCard } from './result-states.ts';
import { customTip, tip } from './tip-states.ts';
import {
  applicationChoice,
  authorizing,
  checkingPin,
  pin,
  pinWrong,
  verifying,
} from './verification-states.ts';

/**
 * A payment on the terminal, from the request to the printed receipt. One actor lives as long as its terminal's
 * power and takes one payment after another, so that nothing is built and thrown away for each.
 *
 * tip → card → application → PIN → host → result → card out → print; any prompt may end it early.
 */
export const paymentMachine = payment.createMachine({
  id: 'payment',
  context: ({ input }) => noPayment(input),
  initial: 'waiting',
  // The slot is known in every state, whoever put a card in it; a power cut ends everything at once.
  on: {
    inserted: { actions: 'fillSlot' },
    removed: { actions: 'emptySlot' },
    'power.lost': { target: '.waiting' },
  },
  states: {
    waiting: {
      entry: 'forget',
      on: { start: { guard: 'slotFree', target: 'begun', actions: 'begin' } },
    },
    begun: {
      entry: { type: 'notify', params: { event: 'TENDER_CREATED' } },
      always: [{ guard: 'asksForTip', target: 'tip' }, { target: 'presentCard' }],
    },

    tip,
    customTip,

    presentCard,
    keyedNumber,
    keyedExpiry,
    identifying,
    readingCard,
    cardRead,
    chipUnreadable,
    swipeInstead,
    insertInstead,
    cardUnreadable,

    applicationChoice,
    verifying,
    pin,
    checkingPin,
    pinWrong,
    authorizing,

    ended,
    approved,
    declined: failed,
    cancelled: failed,
    cardNotAccepted: failed,
    leaving,
    removeCard,
    printing,
  },
});
