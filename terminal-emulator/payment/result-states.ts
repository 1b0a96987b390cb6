import { payment } from './payment-setup.ts';

const begin = { guard: 'slotFree', target: 'begun', actions: 'begin' } as const;
/** The payment failed on the terminal's own judgement: report it to the POS, then to the shopper. */
export const ended = payment.createStateConfig({
  entry: 'conclude',
  always: [
    { guard: { type: 'isShownAs', params: { screen: 'declined' } }, target: 'declined' },
    { guard: { type: 'isShownAs', params: { screen: 'cardNotAccepted' } }, target: 'cardNotAccepted' },
    { target: 'cancelled' },
  ],
});

/** Any of the three screens of a failure. */
export const failed = payment.createStateConfig({
  entry: { type: 'notify', params: { event: 'TENDER_FINAL' } },
  on: { start: begin },
  always: { guard: 'takesNoTimeForResult', target: 'leaving' },
  after: { resultTime: 'leaving' },
});

/** The result goes out here, not after the card is removed (B35). */
export const approved = payment.createStateConfig({
  entry: ['conclude', { type: 'notify', params: { event: 'TENDER_FINAL' } }],
  on: { start: { ...begin, actions: ['print', 'begin'] } },
  always: { guard: 'takesNoTimeForResult', target: 'leaving' },
  after: { resultTime: 'leaving' },
});

/** The result was shown; the card has to come out before anything else. */
export const leaving = payment.createStateConfig({
  always: [
    { guard: 'slotTaken', target: 'removeCard' },
    { guard: 'isApproved', target: 'printing' },
    { target: 'waiting' },
  ],
});

export const removeCard = payment.createStateConfig({
  on: {
    removed: [
      {
        guard: 'isApproved',
        target: 'printing',
        actions: ['emptySlot', { type: 'notify', params: { event: 'CARD_REMOVED' } }],
      },
      {
        target: 'waiting',
        actions: ['emptySlot', { type: 'notify', params: { event: 'CARD_REMOVED' } }],
      },
    ],
  },
});

export const printing = payment.createStateConfig({
  entry: ['print', { type: 'notify', params: { event: 'PRINT_RECEIPT' } }],
  exit: { type: 'notify', params: { event: 'RECEIPT_PRINTED' } },
  on: { start: begin },
  always: { guard: 'takesNoTimeToPrint', target: 'waiting' },
  after: { printTime: 'waiting' },
});
