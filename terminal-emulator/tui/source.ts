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
  /** The store it stands in, as people call it. */
  readonly store: string;
  /** The UUID used as terminalId in the payments API. */
  readonly identifier: string;
  /** Whether its network cable is in; not whether the gateway is reachable, which is the screen's lamp. */
  readonly networkUp: boolean;
  /** Its automatic shopper, if there is one. */
  readonly shopper?: Shopper;
  /** The real card readers beside it; their keys and tray work all the same. */
  readonly readers?: readonly ConnectedReader[];
  /** How long every message takes, each way. */
  readonly latencyMs?: number;
  /** The moment of a payment at which it, or the gateway, is paused. */
  readonly pausedAt?: string;
  /** What is set to go wrong with its payments. */
  readonly troubles?: readonly SetTrouble[];
}

/** When something goes wrong: with one payment, until it is taken back, or at once until it is over. */
export type TroubleMode = 'once' | 'always' | 'now';

/** Something that can be made to go wrong. */
export interface Trouble {
  readonly id: string;
  /** What it happens to; the text goes on from there. */
  readonly group: string;
  readonly text: string;
  readonly modes: readonly TroubleMode[];
  /** Whether it can let some pass before it happens. */
  readonly canLetPass?: boolean;
}

/** Something that is set to go wrong, perhaps by a test and in a way that is not among those of the screen. */
export interface SetTrouble {
  readonly id: string;
  readonly text: string;
  readonly mode: TroubleMode;
}

/** What the text UI shows about its surroundings, so that a newcomer can send a payment from elsewhere. */
export interface TuiFacts {
  readonly gatewayUrl: string;
  readonly apiToken: string;
  /** Opens the control API and nothing else. */
  readonly controlToken: string;
  /** Where a point of sale's test says what the shop believes. */
  readonly beliefsUrl?: string;
  /** ISO 4217 code of the account. */
  readonly currency: string;
  /** Whether the gateway also speaks Adyen's Terminal API. */
  readonly adyen?: boolean;
  /** True where a scenario asks for the payments, so that leaving them needs no confirmation. */
  readonly scripted?: boolean;
}

/** Everything the text UI reads from and acts through. */
export interface TuiSource {
  readonly facts: TuiFacts;
  readonly journal: Journal;
  terminals(): readonly TuiTerminal[];
  screen(poiId: string): Screen;
  cards(): readonly CardSummary[];
  /** What the terminal printed, oldest first. */
  receipts(poiId: string): readonly PrintedReceipt[];
  /** Calls `listener` after anything of the above changed; returns how to stop. */
  onChange(listener: () => void): () => void;
  act(poiId: string, action: TerminalAction): ActionRefusal | undefined;
  /** Types a card's number and expiry on the terminal's keys, each followed by enter. */
  keyIn(poiId: string, cardId: string): ActionRefusal | undefined;
  /** Sets an automatic shopper for every payment; undefined removes it. */
  setShopper(poiId: string, shopper: Shopper | undefined): ActionRefusal | undefined;
  /** Writes down what is done as a scenario; absent where nothing can be recorded. */
  readonly recorder?: TuiRecorder;
  /** What can be made to go wrong; absent where that cannot be set from here. */
  readonly troubles?: readonly Trouble[];
  /** Sets one of them at a terminal, after so many have passed, or takes it back where no mode is given. */
  setTrouble?(poiId: string, id: string, mode: TroubleMode | undefined, after?: number): Promise<void>;
  /** The latest sales, also those of before this process, in any order. */
  sales(): Promise<readonly Sale[]>;
  /** Calls `listener` with each sale that changes, as it is then; returns how to stop. */
  onSale(listener: (sale: Sale) => void): () => void;
  /** Calls `listener` with what a request does wrong that is of no sale, in a sentence; absent where nothing is judged. */
  onFindingWithoutSale?(listener: (what: string) => void): () => void;
  /** The payments from before this process, the oldest first; absent where nothing is kept. */
  earlier?(): Promise<readonly TuiPayment[]>;
  /** A fresh link that signs one browser in to the console; undefined or absent where there is no console. */
  consoleLink?(): string | undefined;
  /** Opens an address in the browser of this machine; rejects where it has none. */
  browse?(link: string): Promise<void>;
  /** Reads what the gateway knows of a payment; absent where no gateway can be asked. */
  explain?(paymentId: string): Promise<PaymentAccount>;
  /** Calls `notify` with every line that the person in front should read; returns how to stop. */
  onMessage?(notify: (line: string) => void): () => void;
  /**
   * Sends a payment request over HTTP, as a POS would, and waits for its outcome, which the journal shows. Calls
   * `onRecovery` with what it does about an answer that is missing. Rejects where there is no outcome: the gateway
   * refused the request, or does not answer.
   */
  sale(
    poiId: string,
    amount: number,
    options: { tip: boolean; onRecovery?(line: string): void },
  ): Promise<void>;
  /** Takes what keyboard-wedge readers type for swipes; absent where it counts as keys. */
  readonly wedge?: TuiWedge;
}

/** What a gateway knows of one payment beside the journal: both its books, and its answer. */
export interface PaymentAccount {
  readonly currency: string;
  readonly idempotencyKey: string | null;
  readonly saleReferenceId: string | null;
  readonly rule: string | null;
  readonly why: string | null;
  readonly ledger: readonly PaymentLedgerEntry[];
  /** What the issuer moved and did not reverse, and what was reported as paid; in major units, as text. */
  readonly moved: string;
  readonly reported: string;
  /** Undefined before the payment has ended. */
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
  /** Begins, or ends and writes the file. Says in a line which, for the person in front. */
  toggle(): Promise<string>;
}

export interface TuiWedge {
  readonly settings: WedgeSettings;
  /** Swipes a card on a terminal; returns why that came to nothing, where it did, for the person in front. */
  swipe(poiId: string, tracks: string): string | undefined;
}
