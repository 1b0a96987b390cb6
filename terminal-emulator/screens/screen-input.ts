import type { GivesBack, Language, ScreenState } from '../../shared/emulator/screen.ts';
import type { EntryMode, ErrorCondition } from '../../shared/nexo/enums.ts';
import type { TapFailure } from '../cards/presented-card.ts';
import type { TipChoice } from './tip-choices.ts';

/** The data from which alone a terminal's screen is drawn. */
export interface ScreenInput {
  readonly state: ScreenState;
  /** The shopper's language during a payment, otherwise the merchant's. */
  readonly language: Language;
  readonly power: boolean;
  /** Whether the terminal's link to the gateway is up. */
  readonly network: boolean;
  readonly poiId: string;
  readonly storeName?: string;
  /** The card in the slot. */
  readonly card?: { readonly id: string; readonly label: string };
  /** The payment, refund or reversal on the terminal. */
  readonly payment?: ShownPayment;
  /** The digits typed so far, of a tip in minor units, a card number or an expiry (MMYY). */
  readonly typed?: string;
  /** How many digits of a PIN are typed. The digits themselves do not reach the screen. */
  readonly pinLength?: number;
  readonly failure?: Failure;
}

export interface ShownPayment {
  /** The requested amount, without the tip. */
  readonly amountMinor: number;
  readonly currency: string;
  /** The tip, once it is chosen. The amount on the screen includes it. */
  readonly tipMinor?: number;
  /** Absent if the shopper pays. */
  readonly givesBack?: GivesBack;
  readonly tipChoices?: readonly TipChoice[];
  /** The ways to present a card now. */
  readonly entries: readonly EntryMode[];
  /** Why the last tap failed: the card is asked for again, or only one card. */
  readonly tapFailure?: TapFailure;
  /** The way in which the payment's card was presented. It lights the contactless lamps. */
  readonly usedEntry?: EntryMode;
  /** Labels of a co-badged card's applications, in the order of their keys 1, 2, …. */
  readonly applications?: readonly string[];
  /** How many PIN tries are left; absent before the first wrong PIN. */
  readonly triesLeft?: number;
}

/** Why the payment failed, the tip is refused, or the terminal is offline. */
export interface Failure {
  readonly condition?: ErrorCondition;
  /**
   * A refusal reason, a message token or both, such as `NOT_ENOUGH_BALANCE 210 Not enough balance`. A refused tip has
   * `TIP_TOO_HIGH`, a refused device key `KEY_REFUSED`.
   */
  readonly detail?: string;
}
