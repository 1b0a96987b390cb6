import type { CardSummary } from '../../shared/emulator/cards.ts';
import type { ActionRefusal, PrintedReceipt, Shopper, TerminalAction } from '../../shared/emulator/frames.ts';
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
  /** The UUID used as terminalId in the payments API. */
  readonly identifier: string;
  /** Whether the terminal's network cable is plugged in. The screen's lamp shows whether the gateway can be reached. */
  readonly networkUp: boolean;
  /** The terminal's automatic shopper, if there is one. */
  readonly shopper?: Shopper;
  /** The real card readers that are connected. The terminal's keys and tray work with them too. */
  readonly readers?: readonly ConnectedReader[];
  /** The delay of every message, each way, in milliseconds. */
  readonly latencyMs?: number;
  /** The moment of a payment at which the terminal or the gateway is paused. */
  readonly pausedAt?: string;
  /** The troubles that are set for the terminal's payments. */
  readonly troubles?: readonly SetTrouble[];
}

/** When a trouble happens: with one payment, with all payments until it is taken back, or at once until it is over. */
export type TroubleMode = 'once' | 'always' | 'now';

/** A trouble that can be set. */
export interface Trouble {
  readonly id: string;
  /** The title of the trouble's group: what happens, or to what. The text continues this phrase. */
  readonly group: string;
  readonly text: string;
  readonly modes: readonly TroubleMode[];
  /** Whether some payments can pass before the trouble happens. */
  readonly canLetPass?: boolean;
}

/** A trouble that is set. A test may have set it in a way that the screen does not offer. */
export interface SetTrouble {
  readonly id: string;
  readonly text: string;
  readonly mode: TroubleMode;
}

/**
 * Facts about pinpad's surroundings that the text UI shows, so that a newcomer can send a payment from another program.
 */
export interface TuiFacts {
  readonly gatewayUrl: string;
  readonly apiToken: string;
  /** The token for the control API only. */
  readonly controlToken: string;
  /** The address at which the test of a point of sale reports what the shop believes. */
  readonly beliefsUrl?: string;
  /** ISO 4217 code of the account. */
  readonly currency: string;
  /** Whether the gateway also serves Adyen's Terminal API. */
  readonly adyen?: boolean;
  /** Whether a scenario makes the payments, so that leaving in the middle of one needs no confirmation. */
  readonly scripted?: boolean;
}

/** Everything that the text UI shows, and through which it acts. */
export interface TuiSource {
  readonly facts: TuiFacts;
  readonly journal: Journal;
  terminals(): readonly TuiTerminal[];
  screen(poiId: string): Screen;
  cards(): readonly CardSummary[];
  /** Returns the terminal's printed receipts, oldest first. */
  receipts(poiId: string): readonly PrintedReceipt[];
  /** Calls `listener` after any of the above changed; returns the function that stops this. */
  onChange(listener: () => void): () => void;
  act(poiId: string, action: TerminalAction): ActionRefusal | undefined;
  /** Types a card's number and expiry on the terminal's keys, each followed by enter. */
  keyIn(poiId: string, cardId: string): ActionRefusal | undefined;
  /** Sets an automatic shopper for every payment; undefined removes it. */
  setShopper(poiId: string, shopper: Shopper | undefined): ActionRefusal | undefined;
  /** Records the actions as a scenario; absent if recording is not possible. */
  readonly recorder?: TuiRecorder;
  /** The troubles that can be set; absent if none can be set from here. */
  readonly troubles?: readonly Trouble[];
  /** Sets a trouble at a terminal, after `after` payments have passed, or takes it back if no mode is given. */
  setTrouble?(poiId: string, id: string, mode: TroubleMode | undefined, after?: number): Promise<void>;
  /** Reads the latest sales, including sales from before this process, in any order. */
  sales(): Promise<readonly Sale[]>;
  /** Calls `listener` with the new state of each sale that changes; returns the function that stops this. */
  onSale(listener: (sale: Sale) => void): () => void;
  /**
   * Calls `listener` with a sentence about each mistake in a request that belongs to no sale; absent if the point of
   * sale is not checked.
   */
  onFindingWithoutSale?(listener: (what: string) => void): () => void;
  /** Reads the payments from before this process, oldest first; absent if none are kept. */
  earlier?(): Promise<readonly TuiPayment[]>;
  /** Makes a new link that signs one browser in to the console; undefined or absent if there is no console. */
  consoleLink?(): string | undefined;
  /** Opens an address in the browser of this machine; rejects if the machine has none. */
  browse?(link: string): Promise<void>;
  /** Reads what the gateway knows about a payment; absent if there is no gateway to answer. */
  explain?(paymentId: string): Promise<PaymentAccount>;
  /** Calls `notify` with every line that the user should read; returns the function that stops this. */
  onMessage?(notify: (line: string) => void): () => void;
  /**
   * Sends a payment request over HTTP, as a POS would, and waits for its outcome, which the journal shows. Calls
   * `onRecovery` with words that say what is done about a missing answer. Rejects if there is no outcome, because the
   * gateway refused the request or does not answer.
   */
  sale(
    poiId: string,
    amount: number,
    options: { tip: boolean; onRecovery?(line: string): void },
  ): Promise<void>;
  /** Turns what keyboard-wedge readers type into swipes. If absent, their characters count as keys. */
  readonly wedge?: TuiWedge;
}

/**
 * A gateway's knowledge about one payment, apart from the journal: both of the payment's books, and the answer to it.
 */
export interface PaymentAccount {
  readonly currency: string;
  /** The payment whose money a reversal gives back; null if this is no reversal. */
  readonly original: string | null;
  /**
   * The amount of the payment that reversals gave back, in major units, as text; undefined if they gave back nothing.
   */
  readonly givenBack: string | undefined;
  readonly idempotencyKey: string | null;
  readonly saleReferenceId: string | null;
  readonly rule: string | null;
  readonly why: string | null;
  readonly ledger: readonly PaymentLedgerEntry[];
  /**
   * The amount that the issuer moved and did not reverse; `reported` is the amount reported as paid or given back. In
   * major units, as text.
   */
  readonly moved: string;
  readonly reported: string;
  /** Whether the two amounts agree; undefined before the payment has ended. */
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
   * Begins a recording, or ends it and writes the file. Resolves to a line that tells the user which of these happened.
   */
  toggle(): Promise<string>;
}

export interface TuiWedge {
  readonly settings: WedgeSettings;
  /** Swipes a card on a terminal. If that fails, returns the reason for the user. */
  swipe(poiId: string, tracks: string): string | undefined;
}
