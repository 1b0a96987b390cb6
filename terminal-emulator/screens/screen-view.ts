import type { GivesBack, Language, ScreenState } from '../../shared/emulator/screen.ts';
import type { EntryMode, ErrorCondition } from '../../shared/nexo/enums.ts';
import type { TapFailure } from '../cards/presented-card.ts';
import type { TipChoice } from './tip-choices.ts';

/** What the terminal's machines say of themselves; all that a screen is drawn from. */
export interface ScreenView {
  state: ScreenState;
  language: Language;
  power: boolean;
  /** Whether the terminal's link to the gateway stands. */
  network: boolean;
  /** The requested amount in minor units; absent where no payment is on the terminal. */
  amountMinor?: number;
  /** Chosen already; the amount shown includes it. */
  tipMinor?: number;
  currency?: string;
  /** Absent where the amount is paid. */
  givesBack?: GivesBack;
  tipChoices?: TipChoice[];
  /** Digits typed so far: of a tip in minor units, a card number, an expiry (MMYY) or a PIN. Only a PIN's length is used. */
  typed?: string;
  /** Labels of a co-badged card's applications, in the order of their keys 1, 2, …. */
  applications?: string[];
  /** PIN tries left, from the first one that is lost on. */
  triesLeft?: number;
  /** The ways a card may come in now. */
  entries: EntryMode[];
  /** A tap failed, and why: the card is asked for again, or one card only. */
  tapFailure?: TapFailure;
  /** How this payment's card came in, once it did; lights the contactless lamps. */
  entry?: EntryMode;
  /** The card in the slot. */
  card?: { id: string; label: string };
  storeName?: string;
  poiId: string;
  /** Why a payment failed. */
  reason?: ErrorCondition;
  /**
   * What is wrong: a refusal reason, a message token or both, e.g.
   * `NOT_ENOUGH_BALANCE 210 Not enough balance`; at the custom tip `TIP_TOO_HIGH`, offline `KEY_REFUSED`.
   */
  reasonText?: string;
}
