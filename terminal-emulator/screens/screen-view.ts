import type { GivesBack, Language, ScreenState } from '../../shared/emulator/screen.ts';
import type { EntryMode, ErrorCondition } from '../../shared/nexo/enums.ts';
import type { TapFailure } from '../cards/presented-card.ts';
import type { TipChoice } from './tip-choices.ts';

/** The state of the terminal's machines, from which alone a screen is drawn. */
export interface ScreenView {
  state: ScreenState;
  language: Language;
  power: boolean;
  /** Whether the terminal's link to the gateway is up. */
  network: boolean;
  /** The requested amount in minor units; absent without a payment. */
  amountMinor?: number;
  /** The tip, if it is chosen already. The amount that is shown includes it. */
  tipMinor?: number;
  currency?: string;
  /** Absent for a payment. */
  givesBack?: GivesBack;
  tipChoices?: TipChoice[];
  /**
   * The digits typed so far, of a tip in minor units, a card number, an expiry (MMYY) or a PIN. Of a PIN only the
   * length is used.
   */
  typed?: string;
  /** Labels of a co-badged card's applications, in the order of their keys 1, 2, …. */
  applications?: string[];
  /** How many PIN tries are left. Set once a try has failed. */
  triesLeft?: number;
  /** The ways a card may come in now. */
  entries: EntryMode[];
  /** Why a tap failed, if one did: the card is asked for again, or only one card. */
  tapFailure?: TapFailure;
  /** How this payment's card came in. It lights the contactless lamps. */
  entry?: EntryMode;
  /** The card in the slot. */
  card?: { id: string; label: string };
  storeName?: string;
  poiId: string;
  /** Why a payment failed. */
  reason?: ErrorCondition;
  /**
   * The reason in more detail: a refusal reason, a message token or both, such as `NOT_ENOUGH_BALANCE 210 Not enough
   * balance`. At the custom tip it is `TIP_TOO_HIGH`, offline `KEY_REFUSED`.
   */
  reasonText?: string;
}
