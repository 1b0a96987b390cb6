import type { TerminalKey } from '../../shared/emulator/screen.ts';
import type { TroubleMode } from './source.ts';

/** The parts of the screen in which the arrow keys can have an effect. */
export type FocusablePanel = 'cards' | 'sales' | 'journal' | 'receipt';

/** The pages and dialogs that are drawn over the screen. */
export type Overlay =
  | 'help'
  | 'access'
  | 'console'
  | 'sale'
  | 'calls'
  | 'terminals'
  | 'search'
  | 'journal'
  | 'filter'
  | 'entry'
  | 'payments'
  | 'payment'
  | 'troubles'
  | 'receipt'
  | 'quit';

/** All parts of the screen in which arrow keys or the wheel move a selection. */
export type ScrollablePanel = FocusablePanel | 'payments' | 'calls' | 'sheet' | 'terminals' | 'troubles';

/** How far a view scrolls. `notchUp` and `notchDown` are for the wheel in the journal. */
export type ScrollStep =
  | 'lineUp'
  | 'lineDown'
  | 'pageUp'
  | 'pageDown'
  | 'home'
  | 'end'
  | 'notchUp'
  | 'notchDown';

/**
 * An action of a person at the terminal in view. The actions `insert`, `tap`, `swipe`, `keyIn` and `unblock` use the
 * selected card.
 */
export type DeviceCommand =
  | { do: 'press'; key: TerminalKey }
  | { do: 'remove' | 'power' | 'network' }
  | { do: 'insert' | 'tap' | 'swipe' | 'keyIn' | 'unblock' | 'shopper' };

/** Opens something to read: a line of the journal, a sale or a payment. */
export type DetailViewCommand =
  /** Opens the line of the journal that has this seq. Without a seq, opens the selected line. */
  | { do: 'openEntry'; seq?: number }
  | { do: 'otherEntry'; by: 1 | -1 }
  /**
   * Filters the journal: only the lines that have the same payment, terminal or kind as the selected line are listed.
   */
  | { do: 'only'; what: 'payment' | 'terminal' | 'kind' }
  | { do: 'openPayment'; id?: string }
  /**
   * `openSale` shows the requests and answers of the sale that has this id. Without an id, it shows those of the
   * selected sale. `openCall`, further below, opens one step of the sale.
   */
  | { do: 'openSale'; saleId?: string }
  | { do: 'otherSale'; by: 1 | -1 }
  | { do: 'openCall'; index?: number }
  /**
   * Opens the payment of a sale. The payment's page shows why the payment ended as it did, the money that the issuer
   * moved, and the answer that the POS got.
   */
  | { do: 'salePayment' }
  /**
   * From the page of a payment, `paymentJournal` opens the journal's lines about this payment, and `paymentReceipt`
   * opens its receipts.
   */
  | { do: 'paymentJournal' | 'paymentReceipt' };

/** Changes what is typed in a field, or submits it. */
export type TypingCommand =
  | { do: 'type'; text: string }
  | { do: 'erase' }
  | { do: 'askTip'; tip: boolean | 'other' }
  | { do: 'submit' };

/** Moves, opens or closes parts of the screen. */
export type ViewCommand =
  | { do: 'selectTerminal'; index: number }
  | { do: 'nextTerminal'; by: 1 | -1 }
  | { do: 'selectCard'; id: string }
  | { do: 'step'; step: ScrollStep; panel?: ScrollablePanel }
  | { do: 'focus'; panel: FocusablePanel }
  | { do: 'nextPanel'; by: 1 | -1 }
  | { do: 'open'; overlay: Overlay }
  | { do: 'close' }
  /**
   * Shows either the drawn device, or only the text on its screen. Without the device, there is more room for the
   * sales.
   */
  | { do: 'fold' }
  | { do: 'selectTrouble'; id: string }
  | { do: 'switchCopy' }
  | { do: 'otherReceipt'; by: 1 | -1 }
  | { do: 'details' };

/** Every command that a person can give to the text UI, by key or by mouse. */
export type TuiCommand =
  | DeviceCommand
  | DetailViewCommand
  | TypingCommand
  | ViewCommand
  /**
   * `console` makes a link to the console and shows the link. `browse` opens the link in the browser of this machine.
   */
  | { do: 'console' | 'browse' }
  /**
   * Sets the trouble (a failure) with this id. Without an id, sets the selected trouble. The trouble happens after
   * `after` payments have passed. If the trouble is already set in this mode, or if neither a mode nor `after` is
   * given, the command takes the trouble back.
   */
  | { do: 'setTrouble'; id?: string; mode?: TroubleMode; after?: number }
  | { do: 'record' }
  /** The user pressed a key that does nothing on the open page. */
  | { do: 'nothing'; key: string }
  /** Quits. If a payment is under way, the user is asked first, unless `now` is set. */
  | { do: 'quit'; now?: boolean };

/**
 * The control characters of Backspace and Ctrl-U. In a field, Backspace deletes the last letter, and Ctrl-U deletes
 * the whole text.
 */
export const eraseKeyCharacters = { letter: '\b', all: '\x15' };
