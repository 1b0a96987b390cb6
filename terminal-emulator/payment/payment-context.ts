import type { TerminalKey } from '../../shared/emulator/screen.ts';
import type { AcquirerResponse } from '../../shared/nexo/acquirer.ts';
import type { AuthenticationMethod, DisplayEvent } from '../../shared/nexo/enums.ts';
import type { Timeouts } from '../../shared/timeouts.ts';
import type { MaskedCard, PresentedCard, TapFailure } from '../cards/presented-card.ts';
import type { EndingReason } from './ending.ts';
import type { Pacing } from './pacing.ts';
import type { TerminalOrder } from './payment-order.ts';
import type { UsedCard } from './used-card.ts';

/** The host's decision on a request to take money or to give it back. */
export type HostAnswer = Exclude<AcquirerResponse, { Type: 'Reverse' }>;

/** Everything that can happen to a payment on the terminal. */
export type PaymentMachineEvent =
  | { type: 'start'; order: TerminalOrder }
  | { type: 'key'; key: TerminalKey }
  | { type: 'inserted'; presented: PresentedCard }
  | { type: 'tapped'; presented: PresentedCard }
  | { type: 'swiped'; presented: PresentedCard }
  | { type: 'keyed'; presented: PresentedCard | undefined }
  | { type: 'removed' }
  | { type: 'abort' }
  | { type: 'host.answered'; answer: HostAnswer }
  | { type: 'power.lost' };

/**
 * The effects that the payment machine has outside itself. The terminal carries these effects out; a test only
 * records them.
 */
export interface PaymentEffects {
  /** Sends the request to the host. The host's answer comes back as `host.answered`. */
  authorize(payment: PaymentContext): void;
  /** Sends the result to the gateway. After that, the payment is over for the merchant. */
  conclude(payment: PaymentContext): void;
  /** Reports progress to the merchant's display. */
  notify(event: DisplayEvent, payment: PaymentContext): void;
  /** Finds the card with a typed number. */
  identify(number: string, expiry: string): PresentedCard | undefined;
  block(card: MaskedCard): void;
  print(payment: PaymentContext): void;
}

/** The decision of the terminal about a card that it tried to read. */
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

/**
 * One payment in the terminal's volatile memory. The actor of the machine handles many payments, one after another;
 * `start` resets this context at the beginning of each payment.
 */
export interface PaymentContext {
  readonly effects: PaymentEffects;
  readonly pacing: Pacing;
  readonly timeouts: Pick<Timeouts, 'cardMs' | 'promptMs' | 'hostMs'>;
  readonly order: TerminalOrder;
  readonly tipMinor: number;
  /** Whether a custom tip was just refused because it is too large. */
  readonly tipTooMuch: boolean;
  /** The digits typed so far: of an amount, a card number, an expiry or a PIN. */
  readonly typed: string;
  readonly number: string;
  /** The card in the slot, whether or not it is the card that pays. */
  readonly slot: PresentedCard | undefined;
  /**
   * Why the last tap failed. As long as a reason is set, the terminal asks for the card again. The reason is cleared
   * when a card is read.
   */
  readonly tapFailure: TapFailure | undefined;
  /** The card that is being read, or that pays. */
  readonly used: UsedCard | undefined;
  /** How often the chip could not be read in this payment. `chipFailed` says whether the last try failed. */
  readonly chipFailures: number;
  readonly chipFailed: boolean;
  readonly verdict: CardVerdict | undefined;
  /** Whether a card has been read in this payment. If so, the payment's result contains the card (B35). */
  readonly cardRead: boolean;
  readonly triesLeft: number;
  readonly onlinePin: 'Correct' | 'Wrong' | undefined;
  readonly verification: AuthenticationMethod | undefined;
  readonly answer: HostAnswer | undefined;
  readonly reason: EndingReason | undefined;
  /**
   * Why an authorization must be reversed. A reason is set if the payment ends without the host's answer, because the
   * host may have authorized the payment (B135).
   */
  readonly reversal: 'Timeout' | 'CardRemoved' | undefined;
}

/** How many times a PIN may be tried in one payment (B39). */
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

/** Gives the context of a new payment, in which nothing of the previous payment is left. */
export function makeFreshPaymentContext(order: TerminalOrder) {
  return { ...nothing, order };
}

/** The part of the context that is kept from one payment to the next. */
export type PaymentMachineInput = Pick<PaymentContext, 'effects' | 'pacing' | 'timeouts'> &
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

/**
 * Gives the context for the time without a payment: before the first payment, after each payment and after a power
 * cut. Only the card in the slot is kept from the old payment.
 */
export function makeContextWithoutPayment(parts: PaymentMachineInput): PaymentContext {
  return { ...parts, ...makeFreshPaymentContext(noOrder), slot: parts.slot };
}

export function totalMinorOf(payment: Pick<PaymentContext, 'order' | 'tipMinor'>): number {
  return payment.order.requestedMinor + payment.tipMinor;
}
