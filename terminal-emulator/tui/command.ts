import type { Key } from '../../shared/emulator/screen.ts';
import type { TroubleMode } from './source.ts';

/** The parts of the screen to which the arrow keys can belong. */
export type Panel = 'cards' | 'sales' | 'journal' | 'receipt';

/** The pages and questions that are drawn over the screen. */
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
export type ScrollTarget = Panel | 'payments' | 'calls' | 'sheet' | 'terminals' | 'troubles';

/** How far a view scrolls. A turn of the wheel causes `notchUp` or `notchDown`. */
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
 * An action of a person at the terminal in view. `insert`, `tap`, `swipe`, `keyIn` and `unblock` use the selected card.
 */
export type DeviceCommand =
  | { do: 'press'; key: Key }
  | { do: 'remove' | 'power' | 'network' }
  | { do: 'insert' | 'tap' | 'swipe' | 'keyIn' | 'unblock' | 'shopper' };

/** Opens something to read: a line of the journal, a sale or a payment. */
export type HistoryViewCommand =
  /** Opens the line of the journal with this seq. Without a seq, opens the selected line. */
  | { do: 'openEntry'; seq?: number }
  | { do: 'otherEntry'; by: 1 | -1 }
  /** Lists only the journal's lines that have the same payment, terminal or kind as the selected line. */
  | { do: 'only'; what: 'payment' | 'terminal' | 'kind' }
  | { do: 'openPayment'; id?: string }
  /**
   * `openSale` shows the requests and answers of the sale with this id or, without an id, of the selected sale.
   * `openCall`, further below, opens one of its steps.
   */
  | { do: 'openSale'; saleId?: string }
  | { do: 'otherSale'; by: 1 | -1 }
  | { do: 'openCall'; index?: number }
  /**
   * Goes from a sale to its payment. The payment's page shows why it ended so, what the issuer moved and what the POS
   * got.
   */
  | { do: 'salePayment' }
  /** Goes from a payment to the lines of the journal about it, or to its receipts. */
  | { do: 'paymentJournal' | 'paymentReceipt' };

/** Fills in a field. */
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
  | { do: 'step'; step: ScrollStep; panel?: ScrollTarget }
  | { do: 'focus'; panel: Panel }
  | { do: 'nextPanel'; by: 1 | -1 }
  | { do: 'open'; overlay: Overlay }
  | { do: 'close' }
  /** Switches between the drawn device and its text alone, which leaves more room for the sales. */
  | { do: 'fold' }
  | { do: 'selectTrouble'; id: string }
  | { do: 'switchCopy' }
  | { do: 'otherReceipt'; by: 1 | -1 }
  | { do: 'details' };

/** Every command that a person can give to the text UI, by key or by mouse. */
export type TuiCommand =
  | DeviceCommand
  | HistoryViewCommand
  | TypingCommand
  | ViewCommand
  /** `console` makes a link to the console and shows the link. `browse` opens it in the browser of this machine. */
  | { do: 'console' | 'browse' }
  /**
   * Sets a trouble: the one with this id or, without an id, the selected one. The trouble lets `after` payments pass
   * before it happens. If the trouble is already set in this mode, or if there is no mode, the trouble is taken back
   * instead.
   */
  | { do: 'setTrouble'; id?: string; mode?: TroubleMode; after?: number }
  | { do: 'record' }
  /** The user pressed a key that does nothing on the open page. */
  | { do: 'nothing'; key: string }
  /** Quits. Without `now`, the user is asked first if a payment is under way. */
  | { do: 'quit'; now?: boolean };

/**
 * The control characters of Backspace and Ctrl-U. In a field, the first deletes the last letter, the second the whole
 * text.
 */
export const eraseKeyCharacters = { letter: '\b', all: '\x15' };
