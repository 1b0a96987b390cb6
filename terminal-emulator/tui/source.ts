import type { CardSummary } from '../../shared/emulator/cards.ts';
import type { ActionRefusal, PrintedReceipt, Shopper, TerminalAction } from '../../shared/emulator/frames.ts';
import type { ConnectedReader, Screen } from '../../shared/emulator/screen.ts';
import type { Journal } from '../../shared/journal.ts';
import type { WedgeSettings } from '../readers/wedge/wedge-settings.ts';

/** A terminal as the text UI lists it. */
export interface TuiTerminal {
  readonly poiId: string;
  /** What people call it, e.g. its store and number. */
  readonly name: string;
  /** The UUID used as terminalId in the payments API. */
  readonly identifier: string;
  /** Whether its network cable is in; not whether the gateway is reachable, which is the screen's lamp. */
  readonly networkUp: boolean;
  /** Who acts on it by itself, if anybody. */
  readonly shopper?: Shopper;
  /** The real card readers beside it; their keys and tray work all the same. */
  readonly readers?: readonly ConnectedReader[];
}

/** How a sale that was rung up on the screen ended, in words. */
export interface SaleOutcome {
  readonly success: boolean;
  readonly line: string;
}

/** What the text UI shows about its surroundings, so that a newcomer can send a payment from elsewhere. */
export interface TuiFacts {
  readonly gatewayUrl: string;
  readonly apiToken: string;
  /** ISO 4217 code of the account. */
  readonly currency: string;
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
  /**
   * Begins to write down what is done as a scenario, or ends it and writes the file. Says in a line which, for the
   * person in front; absent where nothing can be recorded.
   */
  record?(): Promise<string>;
  /** Calls `notify` with every line that the person in front should read; returns how to stop. */
  onMessage?(notify: (line: string) => void): () => void;
  /** Sends a payment request over HTTP, as a POS would. `amountText` is what was typed, e.g. "12.30". */
  sale(poiId: string, amountText: string, options: { tip: boolean }): Promise<SaleOutcome>;
  /** Takes what keyboard-wedge readers type for swipes; absent where it counts as keys. */
  readonly wedge?: TuiWedge;
}

export interface TuiWedge {
  readonly settings: WedgeSettings;
  /** Swipes a card on a terminal; returns why that came to nothing, where it did, for the person in front. */
  swipe(poiId: string, tracks: string): string | undefined;
}
