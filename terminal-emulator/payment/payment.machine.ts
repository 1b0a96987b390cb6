import type { Pacing } from './pacing.ts';
import { makeContextWithoutPayment } from './payment-context.ts';
import { paymentSetup } from './payment-setup.ts';
import {
  type AfterApprovalTransition,
  abortTransition,
  cancelKeyTransition,
  cardInsertedTransition,
  cardPulledEnding,
  cardPulledTransition,
  cardSwipedTransition,
  concludingActions,
  endingTransition,
  instantApprovalTransitions,
  instantTapTransition,
  keyGuard,
  makeBeginPaymentTransitions,
  makeBeginReversalTransitions,
  outOfPinTriesEnding,
  tellPosAction,
} from './transitions.ts';

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
  const readingTap = pacing.readTapMs === 0 ? 'cardRead' : 'readingCard';
  const readingChip = pacing.readChipMs === 0 ? 'cardRead' : 'readingCard';
  const readingStripe = pacing.readStripeMs === 0 ? 'cardRead' : 'readingCard';
  /** The last step of an approved payment, in which its receipts are printed. */
  const printing: AfterApprovalTransition =
    pacing.printMs === 0
      ? {
          target: 'waiting',
          actions: ['print', tellPosAction('PRINT_RECEIPT'), tellPosAction('RECEIPT_PRINTED')],
        }
      : { target: 'printing', actions: [] };
  /** Shows the result. If a card is in the slot, the shopper has to take it out before the machine goes to `next`. */
  const showing = (next: AfterApprovalTransition | { target: 'waiting' }) => {
    const then = [{ guard: 'slotTaken', target: 'removeCard' }, next] as const;
    return pacing.resultMs === 0 ? { always: then } : { after: { resultTime: then } };
  };
  /** A screen that shows why a payment failed. The machine has three such states. */
  const failed = paymentSetup.createStateConfig({
    tags: 'pause',
    entry: tellPosAction('TENDER_FINAL'),
    on: { start: makeBeginPaymentTransitions() },
    ...showing({ target: 'waiting' }),
  });
  /** A state in which the card's number or expiry is typed. `then` is the transition for the enter key. */
  const keyed = <const Then extends object>(into: 'keyedNumber' | 'keyedExpiry', then: Then) =>
    paymentSetup.createStateConfig({
      tags: 'person',
      on: {
        ...abortTransition,
        key: [
          cancelKeyTransition('shopperCancelled'),
          { guard: keyGuard('clear'), actions: 'erase' },
          { guard: 'isDigit', actions: { type: 'type', params: { into } } },
          then,
        ],
      },
      after: { cardTime: endingTransition('noCard') },
    });
  /** A state that asks the shopper to present the card in another way, or once more. */
  const askingAgain = <const Ways extends object>(ways: Ways) =>
    paymentSetup.createStateConfig({
      tags: 'person',
      on: { ...abortTransition, ...ways, key: cancelKeyTransition('shopperCancelled') },
      after: { cardTime: endingTransition('noCard') },
    });
  return paymentSetup.createMachine({
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

      /** The shopper chooses one of the offered tips, types another amount, or chooses no tip (B22–B27). */
      tip: {
        tags: 'person',
        entry: tellPosAction('ASK_GRATUITY'),
        on: {
          ...abortTransition,
          key: [
            cancelKeyTransition('shopperCancelled'),
            { guard: 'choosesCustomTip', target: 'customTip' },
            {
              guard: 'choosesTip',
              target: 'presentCard',
              actions: ['takeTip', tellPosAction('GRATUITY_ENTERED')],
            },
          ],
        },
        after: { promptTime: endingTransition('promptTimedOut') },
      },

      customTip: {
        tags: 'person',
        entry: 'clearTyped',
        on: {
          ...abortTransition,
          key: [
            cancelKeyTransition('shopperCancelled'),
            { guard: keyGuard('clear'), actions: 'erase' },
            { guard: 'isDigit', actions: { type: 'type', params: { into: 'customTip' } } },
            { guard: 'tipTooMuch', actions: 'refuseTip' },
            {
              guard: keyGuard('enter'),
              target: 'presentCard',
              actions: ['takeCustomTip', tellPosAction('GRATUITY_ENTERED')],
            },
          ],
        },
        after: { promptTime: endingTransition('promptTimedOut') },
      },

      /** Waits for a card, in any of the ways that the request allows (B21, B40). */
      presentCard: {
        tags: 'person',
        always: { guard: 'cardIsThere', target: readingChip, actions: 'useSlot' },
        on: {
          ...abortTransition,
          inserted: cardInsertedTransition(readingChip),
          tapped: [
            { guard: 'tapFails', actions: 'noteTapFailure' },
            ...(pacing.readTapMs === 0 ? [instantTapTransition] : []),
            {
              guard: 'offersTap',
              target: readingTap,
              actions: ['useTapped', tellPosAction('CARD_PRESENTED')],
            },
          ],
          swiped: cardSwipedTransition(readingStripe),
          key: [
            cancelKeyTransition('shopperCancelled'),
            {
              guard: 'startsKeying',
              target: 'keyedNumber',
              actions: [
                { type: 'type', params: { into: 'keyedNumber' } },
                tellPosAction('PROVIDE_CARD_DETAILS'),
              ],
            },
          ],
        },
        after: { cardTime: endingTransition('noCard') },
      },

      keyedNumber: keyed('keyedNumber', {
        guard: { type: 'typedEnough', params: { digits: 12 } },
        target: 'keyedExpiry',
        actions: 'keepNumber',
      }),

      keyedExpiry: keyed('keyedExpiry', {
        guard: { type: 'typedEnough', params: { digits: 4 } },
        target: 'identifying',
        actions: tellPosAction('CARD_DETAILS_PROVIDED'),
      }),

      /** The terminal looks for the card with the typed number. */
      identifying: {
        tags: 'passing',
        entry: 'identify',
        on: { keyed: { target: 'cardRead', actions: 'useKeyed' } },
      },

      readingCard: {
        tags: 'pause',
        on: { ...abortTransition, ...cardPulledTransition },
        after: { readTime: 'cardRead' },
      },

      /** Decides how the payment continues after the terminal has tried to read a card. */
      cardRead: {
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
          {
            guard: { type: 'verdictIs', params: { verdict: 'chooseApplication' } },
            target: 'applicationChoice',
          },
          { target: 'ended', actions: 'endByVerdict' },
        ],
      },

      /**
       * The chip could not be read: the card is to be taken out and inserted again. After three failures the terminal
       * asks for the stripe.
       */
      chipUnreadable: askingAgain({ inserted: cardInsertedTransition(readingChip) }),
      swipeInstead: askingAgain({ swiped: cardSwipedTransition(readingStripe) }),
      /** The card must be inserted: a chip card was swiped, or the amount was above the limit for a tap. */
      insertInstead: askingAgain({ inserted: cardInsertedTransition(readingChip) }),

      /** The stripe could not be read, or no card has the typed number. The terminal asks again. */
      cardUnreadable: {
        tags: 'pause',
        on: { ...abortTransition, key: cancelKeyTransition('shopperCancelled') },
        ...(pacing.errorMs === 0
          ? { always: { target: 'presentCard' } }
          : { after: { errorTime: 'presentCard' } }),
      },

      /** A card with applications of two brands is in the slot: the shopper chooses the application that pays. */
      applicationChoice: {
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
      },

      /** Each PIN try may take 60 s (B40). The terminal checks an offline PIN here, the issuer an online PIN. */
      pin: {
        tags: 'person',
        entry: ['clearTyped', tellPosAction('WAIT_FOR_PIN')],
        on: {
          ...abortTransition,
          ...cardPulledTransition,
          key: [
            cancelKeyTransition('pinCancelled'),
            { guard: keyGuard('clear'), actions: 'erase' },
            { guard: 'isDigit', actions: { type: 'type', params: { into: 'pin' } } },
            {
              guard: { type: 'typedEnough', params: { digits: 4 } },
              target: 'checkingPin',
              actions: tellPosAction('PIN_ENTERED'),
            },
          ],
        },
        after: { promptTime: endingTransition('pinTimedOut') },
      },

      checkingPin: {
        tags: 'passing',
        always: [
          { guard: 'asksIssuer', target: 'authorizing', actions: 'noteOnlinePin' },
          { guard: 'pinIsRight', target: 'authorizing', actions: 'noteOfflinePin' },
          { guard: 'hasTriesAfterThis', target: 'pinWrong', actions: 'loseTry' },
          outOfPinTriesEnding,
        ],
      },

      pinWrong: {
        tags: 'pause',
        on: { ...abortTransition, ...cardPulledTransition, key: cancelKeyTransition('pinCancelled') },
        ...(pacing.errorMs === 0 ? { always: { target: 'pin' } } : { after: { errorTime: 'pin' } }),
      },

      /** The host decides. From here on no abort and no key ends the payment (B54). */
      authorizing: {
        tags: 'host',
        entry: 'authorize',
        on: {
          'host.answered': [
            ...(pacing.resultMs === 0
              ? instantApprovalTransitions(printing)
              : [{ guard: 'approves', target: 'approved', actions: 'noteAnswer' } as const]),
            { guard: 'asksPinAgain', target: 'pinWrong', actions: 'loseTry' },
            {
              guard: 'findsPinWrong',
              ...outOfPinTriesEnding,
              actions: ['noteAnswer', ...outOfPinTriesEnding.actions],
            },
            { target: 'declined', actions: ['noteAnswer', 'conclude'] },
          ],
          removed: [
            {
              guard: 'paysByChip',
              target: 'ended',
              actions: [
                'emptySlot',
                { type: 'noteReversal', params: { why: 'CardRemoved' } },
                { type: 'endBecause', params: { reason: 'cardRemoved' } },
              ],
            },
            { actions: 'emptySlot' },
          ],
        },
        after: {
          hostTime: {
            target: 'ended',
            actions: [
              { type: 'noteReversal', params: { why: 'Timeout' } },
              { type: 'endBecause', params: { reason: 'hostSilent' } },
            ],
          },
        },
      },

      /** The terminal itself ended the payment. The POS receives the result before the shopper sees it. */
      ended: {
        tags: 'passing',
        entry: 'conclude',
        always: [
          { guard: { type: 'isShownAs', params: { screen: 'declined' } }, target: 'declined' },
          { guard: { type: 'isShownAs', params: { screen: 'cardNotAccepted' } }, target: 'cardNotAccepted' },
          { target: 'cancelled' },
        ],
      },

      approved: {
        tags: 'pause',
        entry: concludingActions,
        on: { start: makeBeginPaymentTransitions('print') },
        ...showing(printing),
      },

      declined: failed,
      cancelled: failed,
      cardNotAccepted: failed,
      removeCard: {
        tags: 'person',
        on: {
          start: makeBeginReversalTransitions('printApproved'),
          removed: [
            {
              guard: 'isApproved',
              target: printing.target,
              actions: ['emptySlot', tellPosAction('CARD_REMOVED'), ...printing.actions],
            },
            { target: 'waiting', actions: ['emptySlot', tellPosAction('CARD_REMOVED')] },
          ],
        },
      },
      printing: {
        tags: 'pause',
        entry: ['print', tellPosAction('PRINT_RECEIPT')],
        exit: tellPosAction('RECEIPT_PRINTED'),
        on: { start: makeBeginPaymentTransitions() },
        after: { printTime: 'waiting' },
      },
    },
  });
}

export type PaymentMachine = ReturnType<typeof makePaymentMachine>;
