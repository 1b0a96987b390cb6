import type { Key } from '../../shared/emulator/screen.ts';
import type { AcquirerResponse } from '../../shared/nexo/acquirer.ts';
import type { AuthenticationMethod, DisplayEvent } from '../../shared/nexo/enums.ts';
import type { Timeouts } from '../../shared/timeouts.ts';
import type { PresentableCard, PresentedCard, TapFailure } from '../cards/presented-card.ts';
import type { EndingReason } from './ending.ts';
import type { Pacing } from './pacing.ts';
import type { TerminalOrder } from './payment-order.ts';
import type { UsedCard } from './used-card.ts';

/** The host's decision on an attempt to pay or to give back. */
export type HostAnswer = Exclude<AcquirerResponse, { Type: 'Reverse' }>;

/** Everything that can happen to a payment on the terminal. */
export type PaymentEvent =
  | { type: 'start'; order: TerminalOrder }
  | { type: 'key'; key: Key }
  | { type: 'inserted'; presented: PresentedCard }
  | { type: 'tapped'; presented: PresentedCard }
  | { type: 'swiped'; presented: PresentedCard }
  | { type: 'keyed'; presented: PresentedCard | undefined }
  | { type: 'removed' }
  | { type: 'abort' }
  | { type: 'host.answered'; answer: HostAnswer }
  | { type: 'power.lost' };

/** The effects that the machine asks for outside itself. The terminal provides them, and a test records them. */
export interface PaymentEffects {
  /** Asks the host; its answer comes back as `host.answered`. */
  authorize(payment: PaymentContext): void;
  /** Sends the result: the payment is over for the merchant. */
  conclude(payment: PaymentContext): void;
  /** Reports progress to the merchant's display. */
  notify(event: DisplayEvent, payment: PaymentContext): void;
  /** Finds the card behind a typed number. */
  identify(number: string, expiry: string): PresentedCard | undefined;
  block(card: PresentableCard): void;
  print(payment: PaymentContext): void;
}

/** The terminal's judgement of a card that it tried to read. */
export type CardVerdict =
  | 'chipUnreadable'
  | 'swipeInstead'
  | 'cardUnreadable'
  | 'insertInstead'
  | 'chooseApplication'
  | 'accepted'
  | Extract<
      EndingReason,
      | 'brandNotAllowed'
      | 'notRefundable'
      | 'expiredCard'
      | 'blockedCard'
      | 'chipNotReadable'
      | 'keyedNotAccepted'
      | 'aboveContactlessLimit'
    >;

/** One payment in the terminal's volatile memory. The actor lives on; `start` resets it. */
export interface PaymentContext {
  readonly effects: PaymentEffects;
  readonly pacing: Pacing;
  readonly timeouts: Pick<Timeouts, 'cardMs' | 'promptMs' | 'hostMs'>;
  readonly order: TerminalOrder;
  readonly tipMinor: number;
  /** Whether a custom tip was just refused for being too much. */
  readonly tipTooMuch: boolean;
  /** Digits typed so far: an amount, a card number, an expiry, a PIN. */
  readonly typed: string;
  readonly number: string;
  /** The card in the slot, whether it pays or not. */
  readonly slot: PresentedCard | undefined;
  /** Set if a tap failed and no card came in since. The card is to be presented again. */
  readonly tapFailure: TapFailure | undefined;
  /** The card that is being read or pays. */
  readonly used: UsedCard | undefined;
  /** The number of unreadable tries of the chip in this payment, and whether the last try was unreadable. */
  readonly chipFailures: number;
  readonly chipFailed: boolean;
  readonly verdict: CardVerdict | undefined;
  /** True once a card was read. From then on a result contains it (B35). */
  readonly cardRead: boolean;
  readonly triesLeft: number;
  readonly onlinePin: 'Correct' | 'Wrong' | undefined;
  readonly verification: AuthenticationMethod | undefined;
  readonly answer: HostAnswer | undefined;
  readonly reason: EndingReason | undefined;
  /** Set if the host may have authorized the payment: then this ending must reverse it (B135). */
  readonly reversal: 'Timeout' | 'CardRemoved' | undefined;
}

/** PIN tries per payment (B39). */
export const pinTriesPerPayment = 3;

const nothing = {
  tipMinor: 0,
  tipTooMuch: false,
  typed: '',
  number: '',
  tapFailure: undefined,
  used: undefined,
  chipFailures: 0,
  chipFailed: false,
  verdict: undefined,
  cardRead: false,
  triesLeft: pinTriesPerPayment,
  onlinePin: undefined,
  verification: undefined,
  answer: undefined,
  reason: undefined,
  reversal: undefined,
} satisfies Partial<PaymentContext>;

/** Gives a new payment, with nothing left of the payment before it. */
export function freshPayment(order: TerminalOrder) {
  return { ...nothing, order };
}

/** The part of the context that stays between payments. */
export type PaymentParts = Pick<PaymentContext, 'effects' | 'pacing' | 'timeouts'> &
  Partial<Pick<PaymentContext, 'slot'>>;

const noOrder: TerminalOrder = {
  sale: { serviceId: '', tenderReference: '', transactionId: '', timeStamp: '' },
  currency: 'EUR',
  requestedMinor: 0,
  language: 'en',
  ways: [],
  debitPreferred: false,
  pinAlwaysWrong: false,
  receiptHeader: [],
  merchantId: '',
};

/** Gives the context before the first payment, after each payment and after a power cut. Only the card in the slot stays. */
export function noPayment(parts: PaymentParts): PaymentContext {
  return { ...parts, ...freshPayment(noOrder), slot: parts.slot };
}

export function totalMinor(payment: Pick<PaymentContext, 'order' | 'tipMinor'>): number {
  return payment.order.requestedMinor + payment.tipMinor;
}
