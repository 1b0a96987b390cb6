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
  /** The name of the store it stands in, as people know it. */
  readonly store: string;
  /** The UUID used as terminalId in the payments API. */
  readonly identifier: string;
  /** Whether its network cable is plugged in. The screen's lamp shows if the gateway can be reached. */
  readonly networkUp: boolean;
  /** Its automatic shopper, if there is one. */
  readonly shopper?: Shopper;
  /** The real card readers that are connected. The terminal's keys and tray work with them too. */
  readonly readers?: readonly ConnectedReader[];
  /** The delay of every message, each way, in milliseconds. */
  readonly latencyMs?: number;
  /** The moment of a payment at which it, or the gateway, is paused. */
  readonly pausedAt?: string;
  /** The troubles that are set for its payments. */
  readonly troubles?: readonly SetTrouble[];
}

/** When a trouble happens: with one payment, with all until it is taken back, or at once until it is over. */
export type TroubleMode = 'once' | 'always' | 'now';

/** A trouble that can be set. */
export interface Trouble {
  readonly id: string;
  /** The thing that it happens to. The text continues this phrase. */
  readonly group: string;
  readonly text: string;
  readonly modes: readonly TroubleMode[];
  /** Whether it can let some payments pass before it happens. */
  readonly canLetPass?: boolean;
}

/** A trouble that is set. A test may have set it, in a way that the screen does not offer. */
export interface SetTrouble {
  readonly id: string;
  readonly text: string;
  readonly mode: TroubleMode;
}

/** The facts about its surroundings that the text UI shows, so that a newcomer can send a payment from another program. */
export interface TuiFacts {
  readonly gatewayUrl: string;
  readonly apiToken: string;
  /** Opens the control API and nothing else. */
  readonly controlToken: string;
  /** The address at which a point of sale's test says what the shop believes. */
  readonly beliefsUrl?: string;
  /** ISO 4217 code of the account. */
  readonly currency: string;
  /** Whether the gateway also speaks Adyen's Terminal API. */
  readonly adyen?: boolean;
  /** True if a scenario asks for the payments, so that leaving during one needs no confirmation. */
  readonly scripted?: boolean;
}

/** Everything the text UI reads from and acts through. */
export interface TuiSource {
  readonly facts: TuiFacts;
  readonly journal: Journal;
  terminals(): readonly TuiTerminal[];
  screen(poiId: string): Screen;
  cards(): readonly CardSummary[];
  /** The terminal's printed receipts, oldest first. */
  receipts(poiId: string): readonly PrintedReceipt[];
  /** Calls `listener` after any of the above changed; returns how to stop. */
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
  /** The latest sales, including sales from before this process, in any order. */
  sales(): Promise<readonly Sale[]>;
  /** Calls `listener` with the new state of each sale that changes; returns how to stop. */
  onSale(listener: (sale: Sale) => void): () => void;
  /** Calls `listener` with a sentence about each mistake of a request that belongs to no sale; absent if nothing is judged. */
  onFindingWithoutSale?(listener: (what: string) => void): () => void;
  /** The payments from before this process, the oldest first; absent if none are kept. */
  earlier?(): Promise<readonly TuiPayment[]>;
  /** Makes a new link that signs one browser in to the console; undefined or absent if there is no console. */
  consoleLink?(): string | undefined;
  /** Opens an address in the browser of this machine; rejects if it has none. */
  browse?(link: string): Promise<void>;
  /** Reads what the gateway knows about a payment; absent if no gateway can be asked. */
  explain?(paymentId: string): Promise<PaymentAccount>;
  /** Calls `notify` with every line that the user should read; returns how to stop. */
  onMessage?(notify: (line: string) => void): () => void;
  /**
   * Sends a payment request over HTTP, as a POS would, and waits for its outcome, which the journal shows. Calls
   * `onRecovery` with what it does about a missing answer. Rejects if there is no outcome, because the gateway refused the
   * request or does not answer.
   */
  sale(
    poiId: string,
    amount: number,
    options: { tip: boolean; onRecovery?(line: string): void },
  ): Promise<void>;
  /** Takes what keyboard-wedge readers type as swipes. Without it their characters count as keys. */
  readonly wedge?: TuiWedge;
}

/** A gateway's account of one payment, apart from the journal: both its books, and its answer. */
export interface PaymentAccount {
  readonly currency: string;
  /** The payment that a reversal gives back. */
  readonly original: string | null;
  /** The amount of a payment that reversals give back, in major units, as text; undefined if they give nothing. */
  readonly givenBack: string | undefined;
  readonly idempotencyKey: string | null;
  readonly saleReferenceId: string | null;
  readonly rule: string | null;
  readonly why: string | null;
  readonly ledger: readonly PaymentLedgerEntry[];
  /** The amount that the issuer moved and did not reverse, and the amount reported as paid or given back; major units, as text. */
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
  /** Begins a recording, or ends it and writes the file. Gives a line for the user that says which. */
  toggle(): Promise<string>;
}

export interface TuiWedge {
  readonly settings: WedgeSettings;
  /** Swipes a card on a terminal. If that fails, returns the reason for the user. */
  swipe(poiId: string, tracks: string): string | undefined;
}
