import type { GiveBackKind, Language, ScreenState } from '../../shared/emulator/screen.ts';
import type { EntryMode, ErrorCondition } from '../../shared/nexo/enums.ts';
import type { TapFailure } from '../cards/presented-card.ts';
import type { TipChoice } from './tip-choices.ts';

/** The data that is needed to draw a terminal's screen. Nothing else has an effect on the screen. */
export interface ScreenFacts {
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
  /** The digits that were typed so far. They belong to a tip (in minor units), a card number or an expiry (MMYY). */
  readonly typed?: string;
  /** How many digits of a PIN are typed. The digits themselves do not reach the screen. */
  readonly pinLength?: number;
  readonly failure?: ScreenFailure;
}

export interface ShownPayment {
  /** The requested amount, without the tip. */
  readonly amountMinor: number;
  readonly currency: string;
  /** The tip, once it is chosen. The amount on the screen includes it. */
  readonly tipMinor?: number;
  /** How money is given back; absent for a payment. */
  readonly givesBack?: GiveBackKind;
  readonly tipChoices?: readonly TipChoice[];
  /** The ways in which a card can be presented now. */
  readonly entries: readonly EntryMode[];
  /** Why the last tap failed. The screen then asks for the card again, or asks to present only one card. */
  readonly tapFailure?: TapFailure;
  /** The way in which the payment's card was presented. If the card was tapped, the contactless lamps are lit. */
  readonly usedEntry?: EntryMode;
  /** The labels of a card's applications, if the shopper can choose one. Key 1 chooses the first, key 2 the second. */
  readonly applications?: readonly string[];
  /** How many PIN tries are left; absent before the first wrong PIN. */
  readonly triesLeft?: number;
}

/** The reason why the payment failed, why the tip was refused, or why the terminal is offline. */
export interface ScreenFailure {
  readonly condition?: ErrorCondition;
  /**
   * A refusal reason, a message token or both, such as `NOT_ENOUGH_BALANCE 210 Not enough balance`. For a refused tip
   * it is `TIP_TOO_HIGH`, for a refused device key `KEY_REFUSED`.
   */
  readonly detail?: string;
}
