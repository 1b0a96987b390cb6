import type { CardSummary } from '../../shared/emulator/cards.ts';
import type {
  ActionRefusal,
  PrintedReceipt,
  ShopperBehaviour,
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
  readonly shopper?: ShopperBehaviour;
  /** The real card readers that are connected. The terminal's keys and tray still work, too. */
  readonly readers?: readonly ConnectedReader[];
  /** The delay of every message in each direction, in milliseconds. */
  readonly latencyMs?: number;
  /** The step of a payment at which the terminal or the gateway is paused. */
  readonly pausedAt?: string;
  /** The troubles (things that are made to go wrong) that are set for the terminal's payments. */
  readonly troubles?: readonly ActiveTrouble[];
}

/**
 * When a trouble happens: `once` with one payment, `always` with all payments until it is taken back, `now` at once.
 */
export type TroubleMode = 'once' | 'always' | 'now';

/** A trouble that can be set: something that is made to go wrong. */
export interface Trouble {
  readonly id: string;
  /** The title of the trouble's group. It is the beginning of a phrase, which the trouble's `text` continues. */
  readonly group: string;
  readonly text: string;
  readonly modes: readonly TroubleMode[];
  /** Whether the user can let some payments pass before the trouble happens. */
  readonly canLetPass?: boolean;
}

/** A trouble that is set now. A test may have set it in a way that the screen does not offer. */
export interface ActiveTrouble {
  readonly id: string;
  readonly text: string;
  readonly mode: TroubleMode;
}

/** Facts about the gateway that the text UI shows, so that a newcomer can send a payment from another program. */
export interface TuiGatewayFacts {
  readonly gatewayUrl: string;
  readonly apiToken: string;
  /** The token for the control API, and for nothing else. */
  readonly controlToken: string;
  /** The address at which a point of sale under test reports how it thinks its payments ended. */
  readonly beliefsUrl?: string;
  /** The ISO 4217 code of the account's currency. */
  readonly currency: string;
  /** Whether the gateway also serves Adyen's Terminal API. */
  readonly adyen?: boolean;
  /** Whether a scenario makes the payments. If so, the user can quit in the middle of a payment without being asked. */
  readonly scripted?: boolean;
}

/** Everything that the text UI shows or can act on. */
export interface TuiSource {
  readonly facts: TuiGatewayFacts;
  readonly journal: Journal;
  terminals(): readonly TuiTerminal[];
  screen(poiId: string): Screen;
  cards(): readonly CardSummary[];
  /** Returns the terminal's printed receipts, oldest first. */
  receipts(poiId: string): readonly PrintedReceipt[];
  /** Calls `listener` after the data above has changed. Returns the function that stops this. */
  onChange(listener: () => void): () => void;
  act(poiId: string, action: TerminalAction): ActionRefusal | undefined;
  /** Types a card's number and expiry on the terminal's keys, each followed by enter. */
  keyIn(poiId: string, cardId: string): ActionRefusal | undefined;
  /** Sets an automatic shopper for all payments of a terminal; undefined removes it. */
  setShopper(poiId: string, shopper: ShopperBehaviour | undefined): ActionRefusal | undefined;
  /** Records the user's actions as a scenario; absent if they cannot be recorded. */
  readonly recorder?: TuiRecorder;
  /** The troubles that can be set; absent if the text UI cannot set any. */
  readonly troubles?: readonly Trouble[];
  /** Sets a trouble at a terminal after `after` payments have passed. Without a mode, takes the trouble back. */
  setTrouble?(poiId: string, id: string, mode: TroubleMode | undefined, after?: number): Promise<void>;
  /** Reads the latest sales in any order, including sales from before this process started. */
  sales(): Promise<readonly Sale[]>;
  /** Calls `listener` with the new state of each sale that changes. Returns the function that stops this. */
  onSale(listener: (sale: Sale) => void): () => void;
  /**
   * Calls `listener` with a sentence about each mistake in a request that belongs to no sale. It is absent if the
   * requests of the point of sale are not checked.
   */
  onFindingWithoutSale?(listener: (what: string) => void): () => void;
  /** Reads the payments from before this process started, oldest first; absent if none are kept. */
  earlier?(): Promise<readonly TuiPayment[]>;
  /**
   * Makes a new link that signs one browser in to the console. It is absent, or returns undefined, if there is no
   * console.
   */
  consoleLink?(): string | undefined;
  /** Opens an address in the browser of this machine. Rejects if the machine has no browser. */
  browse?(link: string): Promise<void>;
  /** Reads what the gateway knows about a payment; absent if there is no gateway. */
  explain?(paymentId: string): Promise<PaymentExplanation>;
  /** Calls `notify` with every line that the user should read. Returns the function that stops this. */
  onMessage?(notify: (line: string) => void): () => void;
  /**
   * Sends a payment request over HTTP, as a POS would, and waits for the payment's outcome, which the journal shows. If
   * an answer is missing, calls `onRecovery` with a text that says what is done about it. Rejects if there is no
   * outcome, because the gateway refused the request or does not answer.
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
 * A gateway's knowledge about one payment, apart from the journal: the money that the issuer moved, what was reported,
 * and the answer.
 */
export interface PaymentExplanation {
  readonly currency: string;
  /** The payment whose money a reversal gives back; null if this payment is no reversal. */
  readonly original: string | null;
  /**
   * How much of the payment's money reversals gave back, in major units, as text; undefined if they gave back nothing.
   */
  readonly givenBack: string | undefined;
  readonly idempotencyKey: string | null;
  readonly saleReferenceId: string | null;
  readonly rule: string | null;
  readonly why: string | null;
  readonly ledger: readonly PaymentLedgerEntry[];
  /**
   * `moved` is the amount that the issuer moved and did not reverse; `reported` is the amount that was reported as paid
   * or given back. Both are in major units, as text.
   */
  readonly moved: string;
  readonly reported: string;
  /** Whether the two amounts are equal; undefined before the payment has ended. */
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
   * Begins a recording or, if one is under way, ends it and writes its file. Resolves to a line that tells the user
   * what was done.
   */
  toggle(): Promise<string>;
}

export interface TuiWedge {
  readonly settings: WedgeSettings;
  /** Swipes a card on a terminal. If that fails, returns the reason for the user. */
  swipe(poiId: string, tracks: string): string | undefined;
}
