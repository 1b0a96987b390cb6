import type { CardSummary } from '../../shared/emulator/cards.ts';
import type {
  ActionRefusal,
  AutomaticShopperSettings,
  PrintedReceipt,
  TerminalAction,
} from '../../shared/emulator/frames.ts';
import type { ConnectedReader, Screen } from '../../shared/emulator/screen.ts';
import type { Journal } from '../../shared/journal.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import type { WedgeSettings } from '../readers/wedge/wedge-settings.ts';
import type { TuiPayment } from './payments.ts';

/** A terminal as the text UI lists it. */
export interface TuiTerminal {
  readonly poiId: string;
  /** The name of the terminal's store, as people know it. */
  readonly store: string;
  /** The UUID that is the terminalId in the payments API. */
  readonly identifier: string;
  /**
   * Whether the terminal's network cable is plugged in. (Whether the gateway can be reached is shown by the screen's
   * lamp.)
   */
  readonly networkUp: boolean;
  /** The terminal's automatic shopper, if there is one. */
  readonly shopper?: AutomaticShopperSettings;
  /** The real card readers that are connected. The terminal's keys and tray still work. */
  readonly readers?: readonly ConnectedReader[];
  /** The delay of every message in each direction, in milliseconds. */
  readonly latencyMs?: number;
  /** The step of a payment at which the terminal or the gateway is paused. */
  readonly pausedAt?: string;
  /** The troubles (things that are made to go wrong) that are set for the terminal's payments. */
  readonly troubles?: readonly ActiveTrouble[];
}

/**
 * When a trouble happens. `once`: with one payment. `always`: with all payments until the trouble is taken back.
 * `now`: at once.
 */
export type TroubleMode = 'once' | 'always' | 'now';

/** A trouble that can be set: something that is made to go wrong. */
export interface OfferedTrouble {
  readonly id: string;
  /**
   * The title of the trouble's group. The title is the beginning of a phrase, and the trouble's `text` is the rest of
   * it.
   */
  readonly group: string;
  readonly text: string;
  readonly modes: readonly TroubleMode[];
  /** Whether the user can let some payments pass before the trouble happens. */
  readonly canLetPass?: boolean;
}

/** A trouble that is set now. A test may have set the trouble in a way that the screen does not offer. */
export interface ActiveTrouble {
  readonly id: string;
  readonly text: string;
  readonly mode: TroubleMode;
}

/** Facts about the gateway that the text UI shows, so that a new user can send a payment from another program. */
export interface TuiGatewayFacts {
  readonly gatewayUrl: string;
  readonly apiToken: string;
  /** The token for the control API. It is valid for no other API. */
  readonly controlToken: string;
  /**
   * The address to which a point of sale under test sends reports. Each report says which outcome the point of sale
   * assumes for a payment.
   */
  readonly beliefsUrl?: string;
  /** The ISO 4217 code of the account's currency. */
  readonly currency: string;
  /** Whether the gateway also serves Adyen's Terminal API. */
  readonly adyen?: boolean;
  /** Whether a scenario makes the payments. If so, the user can quit in the middle of a payment without being asked. */
  readonly scripted?: boolean;
}

/** Everything that the text UI shows, and every action that it can take. */
export interface TuiSource {
  readonly facts: TuiGatewayFacts;
  readonly journal: Journal;
  terminals(): readonly TuiTerminal[];
  screen(poiId: string): Screen;
  cards(): readonly CardSummary[];
  /** Returns the terminal's printed receipts, oldest first. */
  receipts(poiId: string): readonly PrintedReceipt[];
  /** Calls `listener` after any of the data above has changed. Returns a function that stops these calls. */
  onChange(listener: () => void): () => void;
  act(poiId: string, action: TerminalAction): ActionRefusal | undefined;
  /** Types a card's number and expiry on the terminal's keys, each followed by enter. */
  keyIn(poiId: string, cardId: string): ActionRefusal | undefined;
  /**
   * Sets an automatic shopper for all payments of a terminal. If the behaviour is undefined, removes the automatic
   * shopper.
   */
  setShopper(poiId: string, shopper: AutomaticShopperSettings | undefined): ActionRefusal | undefined;
  /** Records the user's actions as a scenario; absent if they cannot be recorded. */
  readonly recorder?: TuiRecorder;
  /** The troubles that can be set; absent if the text UI cannot set any. */
  readonly troubles?: readonly OfferedTrouble[];
  /** Sets a trouble at a terminal after `after` payments have passed. Without a mode, takes the trouble back. */
  setTrouble?(poiId: string, id: string, mode: TroubleMode | undefined, after?: number): Promise<void>;
  /**
   * Reads the latest sales, including sales from before this process started. The order of the sales is not defined.
   */
  sales(): Promise<readonly Sale[]>;
  /** Calls `listener` with the new state of each sale that changes. Returns a function that stops these calls. */
  onSale(listener: (sale: Sale) => void): () => void;
  /**
   * Calls `listener` with a sentence about each mistake in a request that belongs to no sale. This function is absent
   * if the requests of the point of sale are not checked.
   */
  onFindingWithoutSale?(listener: (what: string) => void): () => void;
  /**
   * Reads the payments from before this process started, the oldest payment first. Absent if no such payments are
   * kept.
   */
  earlier?(): Promise<readonly TuiPayment[]>;
  /**
   * Makes a new link that signs one browser in to the console. If there is no console, this function is absent or
   * returns undefined.
   */
  consoleLink?(): string | undefined;
  /** Opens an address in the browser of this machine. Rejects if the machine has no browser. */
  browse?(link: string): Promise<void>;
  /** Reads what the gateway knows about a payment; absent if there is no gateway. */
  explain?(paymentId: string): Promise<PaymentExplanation>;
  /** Calls `notify` with every line that the user should read. Returns a function that stops these calls. */
  onMessage?(notify: (line: string) => void): () => void;
  /**
   * Sends a payment request over HTTP, as a POS would, and waits for the payment's outcome, which the journal shows.
   * If an answer does not arrive, calls `onRecovery` with a text that says how the outcome is recovered. Rejects if
   * there is no outcome because the gateway refused the request or does not answer.
   */
  sale(
    poiId: string,
    amount: number,
    options: { tip: boolean; onRecovery?(line: string): void },
  ): Promise<void>;
  /**
   * Recognises swipes in the characters that keyboard-wedge readers type. If absent, these characters count as keys.
   */
  readonly wedge?: TuiWedge;
}

/**
 * A gateway's data about one payment: the money that the issuer moved, the reported result, and the answer. The
 * entries of the journal are not included.
 */
export interface PaymentExplanation {
  readonly currency: string;
  /** The payment whose money this reversal gives back. Null if this payment is no reversal. */
  readonly original: string | null;
  /**
   * The sum that reversals of this payment gave back, in major units, as text. Undefined if nothing was given back.
   */
  readonly givenBack: string | undefined;
  readonly idempotencyKey: string | null;
  readonly saleReferenceId: string | null;
  readonly rule: string | null;
  readonly why: string | null;
  readonly ledger: readonly PaymentLedgerEntry[];
  /**
   * `moved` is the amount that the issuer moved and did not reverse. `reported` is the amount that was reported as
   * paid or as given back. Both amounts are in major units, as text.
   */
  readonly moved: string;
  readonly reported: string;
  /** Whether `moved` and `reported` are equal. Undefined before the payment has ended. */
  readonly agree: boolean | undefined;
  readonly answer: unknown;
  readonly warnings: readonly string[];
}

interface PaymentLedgerEntry {
  readonly at: number;
  readonly kind: string;
  readonly amount: string;
  readonly pspReference: string;
  readonly rule: string;
  readonly why: string;
}

export interface TuiRecorder {
  readonly recording: boolean;
  /**
   * Begins a recording. If a recording is under way, ends it and writes its file instead. Resolves to a line that
   * tells the user what was done.
   */
  toggle(): Promise<string>;
}

export interface TuiWedge {
  readonly settings: WedgeSettings;
  /** Swipes a card on a terminal. If that fails, returns a reason that the user can read. */
  swipe(poiId: string, tracks: string): string | undefined;
}
