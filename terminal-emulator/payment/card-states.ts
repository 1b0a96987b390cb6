import { payment } from './payment-setup.ts';
import { abortable, cancelKey, ending, pullable } from './transitions.ts';

const inserted = {
  guard: 'offersChip',
  target: 'readingCard',
  actions: ['fillSlot', 'useSlot', { type: 'notify', params: { event: 'CARD_INSERTED' } }],
} as const;
const swiped = {
  guard: 'offersStripe',
  target: 'readingCard',
  actions: ['useSwiped', { type: 'notify', params: { event: 'CARD_SWIPED' } }],
} as const;

/** Waiting for a card by any of the ways the request allows (B21, B40). */
export const presentCard = payment.createStateConfig({
  always: { guard: 'cardIsThere', target: 'readingCard', actions: 'useSlot' },
  on: {
    ...abortable,
    inserted,
    tapped: [
      { guard: 'tapFails', actions: 'noteTapFailure' },
      {
        guard: 'offersTap',
        target: 'readingCard',
        actions: ['useTapped', { type: 'notify', params: { event: 'CARD_PRESENTED' } }],
      },
    ],
    swiped,
    key: [
      cancelKey('shopperCancelled'),
      {
        guard: 'startsKeying',
        target: 'keyedNumber',
        actions: [
          { type: 'type', params: { into: 'keyedNumber' } },
          { type: 'notify', params: { event: 'PROVIDE_CARD_DETAILS' } },
        ],
      },
    ],
  },
  after: { cardTime: ending('noCard') },
  exit: 'forgetTapFailure',
});

export const keyedNumber = payment.createStateConfig({
  on: {
    ...abortable,
    key: [
      cancelKey('shopperCancelled'),
      { guard: { type: 'isKey', params: { key: 'clear' } }, actions: 'erase' },
      { guard: 'isDigit', actions: { type: 'type', params: { into: 'keyedNumber' } } },
      {
        guard: { type: 'typedEnough', params: { digits: 12 } },
        target: 'keyedExpiry',
        actions: 'keepNumber',
      },
    ],
  },
  after: { cardTime: ending('noCard') },
});

export const keyedExpiry = payment.createStateConfig({
  on: {
    ...abortable,
    key: [
      cancelKey('shopperCancelled'),
      { guard: { type: 'isKey', params: { key: 'clear' } }, actions: 'erase' },
      { guard: 'isDigit', actions: { type: 'type', params: { into: 'keyedExpiry' } } },
      {
        guard: { type: 'typedEnough', params: { digits: 4 } },
        target: 'identifying',
        actions: { type: 'notify', params: { event: 'CARD_DETAILS_PROVIDED' } },
      },
    ],
  },
  after: { cardTime: ending('noCard') },
});

/** The typed number is being looked up. */
export const identifying = payment.createStateConfig({
  entry: 'identify',
  on: { keyed: { target: 'cardRead', actions: 'useKeyed' } },
});

export const readingCard = payment.createStateConfig({
  entry: 'tryChip',
  on: { ...abortable, ...pullable },
  always: { guard: 'takesNoTimeToRead', target: 'cardRead' },
  after: { readTime: 'cardRead' },
});

/** Decides where a card that was read, or not, leads. */
export const cardRead = payment.createStateConfig({
  entry: 'judge',
  always: [
    { guard: { type: 'verdictIs', params: { verdict: 'chipUnreadable' } }, target: 'chipUnreadable' },
    { guard: { type: 'verdictIs', params: { verdict: 'swipeInstead' } }, target: 'swipeInstead' },
    { guard: { type: 'verdictIs', params: { verdict: 'cardUnreadable' } }, target: 'cardUnreadable' },
    { guard: { type: 'verdictIs', params: { verdict: 'insertInstead' } }, target: 'insertInstead' },
    { guard: { type: 'verdictIs', params: { verdict: 'chooseApplication' } }, target: 'applicationChoice' },
    { guard: { type: 'verdictIs', params: { verdict: 'accepted' } }, target: 'verifying' },
    { target: 'ended', actions: 'endByVerdict' },
  ],
});

/** The chip could not be read: take it out and try again; after three times the stripe is offered. */
export const chipUnreadable = payment.createStateConfig({
  on: { ...abortable, inserted, key: cancelKey('shopperCancelled') },
  after: { cardTime: ending('noCard') },
});

export const swipeInstead = payment.createStateConfig({
  on: { ...abortable, swiped, key: cancelKey('shopperCancelled') },
  after: { cardTime: ending('noCard') },
});

/** A chip card was swiped, or a tap was above its limit. */
export const insertInstead = payment.createStateConfig({
  on: { ...abortable, inserted, key: cancelKey('shopperCancelled') },
  after: { cardTime: ending('noCard') },
});

/** The stripe could not be read, or no such card number exists: ask again. */
export const cardUnreadable = payment.createStateConfig({
  on: { ...abortable, key: cancelKey('shopperCancelled') },
  always: { guard: 'takesNoTimeForError', target: 'presentCard' },
  after: { errorTime: 'presentCard' },
});
