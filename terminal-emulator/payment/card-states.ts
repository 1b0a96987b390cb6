import type { Pacing } from './pacing.ts';
import { paymentMachineSetup } from './payment-setup.ts';
import {
  abortTransition,
  cancelKeyTransition,
  cardInsertedTransition,
  cardPulledEnding,
  cardPulledTransition,
  cardSwipedTransition,
  endingTransition,
  instantTapTransition,
  keyGuard,
  leaveAfter,
  type ReadingState,
  tellPosAction,
} from './transitions.ts';

/** Waits for a card, in any of the ways that the request allows (B21, B40). */
function makePresentCardState(pacing: Pacing) {
  const afterInserting = readingStateFor(pacing.readChipMs);
  const instantTap = pacing.readTapMs === 0 ? [instantTapTransition] : [];
  return paymentMachineSetup.createStateConfig({
    tags: 'person',
    always: { guard: 'cardIsThere', target: afterInserting, actions: 'useSlot' },
    on: {
      ...abortTransition,
      inserted: cardInsertedTransition(afterInserting),
      tapped: [
        { guard: 'tapFails', actions: 'noteTapFailure' },
        ...instantTap,
        {
          guard: 'offersTap',
          target: readingStateFor(pacing.readTapMs),
          actions: ['useTapped', tellPosAction('CARD_PRESENTED')],
        },
      ],
      swiped: cardSwipedTransition(readingStateFor(pacing.readStripeMs)),
      key: [
        cancelKeyTransition('shopperCancelled'),
        {
          guard: 'startsKeying',
          target: 'keyedNumber',
          actions: [{ type: 'type', params: { into: 'keyedNumber' } }, tellPosAction('PROVIDE_CARD_DETAILS')],
        },
      ],
    },
    after: { cardTime: endingTransition('noCard') },
  });
}

const keyedNumber = makeTypingState('keyedNumber', {
  guard: { type: 'typedEnough', params: { digits: 12 } },
  target: 'keyedExpiry',
  actions: 'keepNumber',
});

const keyedExpiry = makeTypingState('keyedExpiry', {
  guard: { type: 'typedEnough', params: { digits: 4 } },
  target: 'identifying',
  actions: tellPosAction('CARD_DETAILS_PROVIDED'),
});

/** The terminal looks for the card with the typed number. */
const identifying = paymentMachineSetup.createStateConfig({
  tags: 'passing',
  entry: 'identify',
  on: { keyed: { target: 'cardRead', actions: 'useKeyed' } },
});

const readingCard = paymentMachineSetup.createStateConfig({
  tags: 'pause',
  on: { ...abortTransition, ...cardPulledTransition },
  after: { readTime: 'cardRead' },
});

/** Decides how the payment continues after the terminal has tried to read a card. */
const cardRead = paymentMachineSetup.createStateConfig({
  tags: 'passing',
  entry: 'judge',
  always: [
    { guard: 'acceptedWithPin', target: 'pin', actions: tellPosAction('APPLICATION_SELECTED') },
    {
      guard: { type: 'verdictIs', params: { verdict: 'accepted' } },
      target: 'authorizing',
      actions: tellPosAction('APPLICATION_SELECTED'),
    },
    { guard: { type: 'verdictIs', params: { verdict: 'chipUnreadable' } }, target: 'chipUnreadable' },
    { guard: { type: 'verdictIs', params: { verdict: 'swipeInstead' } }, target: 'swipeInstead' },
    { guard: { type: 'verdictIs', params: { verdict: 'cardUnreadable' } }, target: 'cardUnreadable' },
    { guard: { type: 'verdictIs', params: { verdict: 'insertInstead' } }, target: 'insertInstead' },
    { guard: { type: 'verdictIs', params: { verdict: 'chooseApplication' } }, target: 'applicationChoice' },
    { target: 'ended', actions: 'endByVerdict' },
  ],
});

/** A card with applications of two brands is in the slot: the shopper chooses the application that pays. */
const applicationChoice = paymentMachineSetup.createStateConfig({
  tags: 'person',
  entry: tellPosAction('WAIT_FOR_APP_SELECTION'),
  on: {
    ...abortTransition,
    removed: cardPulledEnding,
    key: [
      cancelKeyTransition('shopperCancelled'),
      { guard: 'choosesApplication', target: 'cardRead', actions: 'chooseApplication' },
    ],
  },
  after: { promptTime: endingTransition('promptTimedOut') },
});

/** The states of the payment machine from the prompt for a card until the terminal knows how the card pays. */
export function makeCardStates(pacing: Pacing) {
  const inserted = cardInsertedTransition(readingStateFor(pacing.readChipMs));
  const swiped = cardSwipedTransition(readingStateFor(pacing.readStripeMs));
  return {
    presentCard: makePresentCardState(pacing),
    keyedNumber,
    keyedExpiry,
    identifying,
    readingCard,
    cardRead,
    /**
     * The chip could not be read: the card is to be taken out and inserted again. After three failures the terminal
     * asks for the stripe.
     */
    chipUnreadable: makeAskingAgainState({ inserted }),
    swipeInstead: makeAskingAgainState({ swiped }),
    /** The card must be inserted: a chip card was swiped, or the amount was above the limit for a tap. */
    insertInstead: makeAskingAgainState({ inserted }),
    /** The stripe could not be read, or no card has the typed number. The terminal asks again. */
    cardUnreadable: paymentMachineSetup.createStateConfig({
      tags: 'pause',
      on: { ...abortTransition, key: cancelKeyTransition('shopperCancelled') },
      ...leaveAfter('errorTime', pacing.errorMs, { target: 'presentCard' }),
    }),
    applicationChoice,
  };
}

/** Returns the state that follows when a card is presented that takes `readMs` milliseconds to read. */
function readingStateFor(readMs: number): ReadingState {
  return readMs === 0 ? 'cardRead' : 'readingCard';
}

/** A state in which the card's number or expiry is typed. `onEnter` is the transition for the enter key. */
function makeTypingState<const Then extends object>(into: 'keyedNumber' | 'keyedExpiry', onEnter: Then) {
  return paymentMachineSetup.createStateConfig({
    tags: 'person',
    on: {
      ...abortTransition,
      key: [
        cancelKeyTransition('shopperCancelled'),
        { guard: keyGuard('clear'), actions: 'erase' },
        { guard: 'isDigit', actions: { type: 'type', params: { into } } },
        onEnter,
      ],
    },
    after: { cardTime: endingTransition('noCard') },
  });
}

/** A state that asks the shopper to present the card in another way, or once more. */
function makeAskingAgainState<const Ways extends object>(ways: Ways) {
  return paymentMachineSetup.createStateConfig({
    tags: 'person',
    on: { ...abortTransition, ...ways, key: cancelKeyTransition('shopperCancelled') },
    after: { cardTime: endingTransition('noCard') },
  });
}
