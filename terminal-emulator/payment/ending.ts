import type { ErrorCondition } from '../../shared/nexo/enums.ts';

/** The reasons why the terminal itself, and not the host, ends a payment. */
export type EndingReason =
  | 'shopperCancelled'
  | 'pinCancelled'
  | 'merchantAborted'
  | 'noCard'
  | 'promptTimedOut'
  | 'pinTimedOut'
  | 'cardRemoved'
  | 'brandNotAllowed'
  | 'notRefundable'
  | 'cardNeeded'
  | 'expiredCard'
  | 'blockedCard'
  | 'chipNotReadable'
  | 'keyedNotAccepted'
  | 'aboveContactlessLimit'
  | 'wrongPin'
  | 'hostSilent'
  | 'powerLost'
  | 'busy'
  | 'busyReversing'
  | 'cardInSlot'
  | 'unreadableRequest';

/**
 * The terminal's report about a payment that it ended itself. Programs read nexo's error condition; people read the
 * refusal reason and the message. Real terminals report such reasons and messages.
 */
interface Ending {
  readonly condition: ErrorCondition;
  readonly refusalReason?: string;
  readonly message: string;
  readonly screen: 'declined' | 'cancelled' | 'cardNotAccepted';
}

const endings: Record<EndingReason, Ending> = {
  shopperCancelled: cancelled('Cancel', '108 Shopper cancelled tx'),
  pinCancelled: cancelled('Cancel', '102 Shopper cancelled pin entry'),
  merchantAborted: cancelled('Aborted', '104 Merchant cancelled tx'),
  noCard: cancelled('Cancel', '126 Shopper did not present card'),
  promptTimedOut: cancelled('Cancel', '108 Shopper cancelled tx', 'TIMED_OUT'),
  pinTimedOut: cancelled('Cancel', '102 Shopper cancelled pin entry', 'TIMED_OUT'),
  cardRemoved: cancelled('Cancel', 'card removed'),
  brandNotAllowed: notAccepted('PaymentRestriction', 'Card brand not allowed', 'BRAND_NOT_ALLOWED'),
  notRefundable: notAccepted('PaymentRestriction', 'Card cannot be refunded', 'CARD_NOT_REFUNDABLE'),
  cardNeeded: {
    condition: 'NotAllowed',
    refusalReason: 'Refund needs the card',
    message: 'CARD_NEEDED',
    screen: 'declined',
  },
  expiredCard: notAccepted('InvalidCard', '228 Card expired', 'CARD_EXPIRED'),
  blockedCard: notAccepted('Refusal', '199 Card blocked', 'BLOCK_CARD'),
  chipNotReadable: notAccepted('InvalidCard', 'Card could not be read', 'CARD_NOT_READABLE'),
  keyedNotAccepted: notAccepted('InvalidCard', 'Card cannot be keyed', 'INVALID_CARD'),
  aboveContactlessLimit: notAccepted(
    'PaymentRestriction',
    'Contactless limit exceeded',
    'CONTACTLESS_FALLBACK',
  ),
  wrongPin: {
    condition: 'WrongPIN',
    refusalReason: '128 PIN tries exceeded',
    message: 'PIN_TRIES_EXCEEDED',
    screen: 'declined',
  },
  hostSilent: { condition: 'UnreachableHost', message: 'Communication timeout', screen: 'declined' },
  powerLost: { condition: 'DeviceOut', message: 'The terminal lost power', screen: 'declined' },
  busy: busyWith('PaymentRequest'),
  busyReversing: busyWith('ReversalRequest'),
  cardInSlot: { condition: 'InsertedCard', message: 'A card is in the slot', screen: 'declined' },
  unreadableRequest: { condition: 'MessageFormat', message: 'The request is not valid', screen: 'declined' },
};

export function endingForReason(reason: EndingReason): Ending {
  return endings[reason];
}

function busyWith(request: string): Ending {
  const message = `Forbidden Request, Service Dialogue ${request} is in Progress`;
  return { condition: 'Busy', message, screen: 'declined' };
}

function cancelled(condition: ErrorCondition, refusalReason: string, message = 'CANCELLED'): Ending {
  return { condition, refusalReason, message, screen: 'cancelled' };
}

function notAccepted(condition: ErrorCondition, refusalReason: string, message: string): Ending {
  return { condition, refusalReason, message, screen: 'cardNotAccepted' };
}
