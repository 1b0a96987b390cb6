import type { GivesBack, Language, ScreenState } from '../../shared/emulator/screen.ts';
import type { EntryMode, ErrorCondition } from '../../shared/nexo/enums.ts';
import type { TapFailure } from '../cards/presented-card.ts';
import type { TipChoice } from './tip-choices.ts';

/**
 * Everything that is needed to draw a terminal's screen. It is taken only from the state of the terminal's machines.
 */
export interface ScreenView {
  state: ScreenState;
  language: Language;
  power: boolean;
  /** Whether the terminal's link to the gateway is up. */
  network: boolean;
  /** The requested amount in minor units; absent without a payment. */
  amountMinor?: number;
  /** The tip, once it is chosen. The amount on the screen includes it. */
  tipMinor?: number;
  currency?: string;
  /** Says that money is given back, and how; absent for a payment. */
  givesBack?: GivesBack;
  tipChoices?: TipChoice[];
  /**
   * The digits typed so far: of a tip in minor units, a card number, an expiry (MMYY) or a PIN. For a PIN, only the
   * number of digits is used.
   */
  typed?: string;
  /** The labels of a card's applications, if the shopper can choose one. Key 1 chooses the first, key 2 the second. */
  applications?: string[];
  /** How many PIN tries are left. Set only after a try has failed. */
  triesLeft?: number;
  /** The ways in which a card can be presented now. */
  entries: EntryMode[];
  /** Why a tap failed, if one did. The screen then asks for the card again, or asks to present only one card. */
  tapFailure?: TapFailure;
  /** How the card of this payment was presented. If it was tapped, the contactless lamps are lit. */
  entry?: EntryMode;
  /** The card in the slot. */
  card?: { id: string; label: string };
  storeName?: string;
  poiId: string;
  /** Why a payment failed. */
  reason?: ErrorCondition;
  /**
   * The reason in more detail: a refusal reason, a message token or both, such as `NOT_ENOUGH_BALANCE 210 Not enough
   * balance`. While a custom tip is typed, it can be `TIP_TOO_HIGH`. Offline, it can be `KEY_REFUSED`.
   */
  reasonText?: string;
}
