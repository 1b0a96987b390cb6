import type { Key } from '../../shared/emulator/screen.ts';
import type { TroubleMode } from './source.ts';

/** The parts of the screen that can have the arrow keys. */
export type Panel = 'cards' | 'sales' | 'journal' | 'receipt';

/** What lies over the screen. */
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

/** Everything that is moved within by steps. */
export type Stepped = Panel | 'payments' | 'calls' | 'sheet' | 'terminals' | 'troubles';

/** `notchUp` and `notchDown` are the wheel's: they move what is seen. */
export type ScrollStep =
  | 'lineUp'
  | 'lineDown'
  | 'pageUp'
  | 'pageDown'
  | 'home'
  | 'end'
  | 'notchUp'
  | 'notchDown';

/** Everything a person can ask of the text UI, by key or by mouse. */
export type TuiCommand =
  | { do: 'press'; key: Key }
  | { do: 'insert' | 'tap' | 'swipe' | 'keyIn' | 'remove' | 'unblock' }
  | { do: 'power' | 'network' | 'shopper' }
  | { do: 'selectTerminal'; index: number }
  | { do: 'nextTerminal'; by: 1 | -1 }
  | { do: 'selectCard'; id: string }
  | { do: 'step'; step: ScrollStep; panel?: Stepped }
  | { do: 'focus'; panel: Panel }
  | { do: 'nextPanel'; by: 1 | -1 }
  | { do: 'open'; overlay: Overlay }
  | { do: 'close' }
  /** Makes a link to the console, and shows it; then opens it in the browser of this machine. */
  | { do: 'console' | 'browse' }
  /** Opens the selected line of the journal where no other is named. */
  | { do: 'openEntry'; seq?: number }
  | { do: 'otherEntry'; by: 1 | -1 }
  /** Leaves of the journal only what has the same as the selected line. */
  | { do: 'only'; what: 'payment' | 'terminal' | 'kind' }
  | { do: 'openPayment'; id?: string }
  /** Opens the selected sale, where no other is named, as what was asked and answered; then one step of it. */
  | { do: 'openSale'; saleId?: string }
  | { do: 'otherSale'; by: 1 | -1 }
  | { do: 'openCall'; index?: number }
  /** From a sale to its payment: why, and both books. */
  | { do: 'salePayment' }
  /** Draws the device, or leaves its room to the sales. */
  | { do: 'fold' }
  /** From a payment to the part of the journal, or the receipts, that are about it. */
  | { do: 'paymentJournal' | 'paymentReceipt' }
  | { do: 'selectTrouble'; id: string }
  /** Of the selected trouble where no other is named; the same again takes it back, as no mode does. `after` lets so many pass. */
  | { do: 'setTrouble'; id?: string; mode?: TroubleMode; after?: number }
  | { do: 'switchCopy' }
  | { do: 'otherReceipt'; by: 1 | -1 }
  | { do: 'details' }
  | { do: 'type'; text: string }
  | { do: 'erase' }
  | { do: 'askTip'; tip: boolean | 'other' }
  | { do: 'submit' }
  | { do: 'record' }
  /** A key that means nothing on the page that is open. */
  | { do: 'nothing'; key: string }
  /** Leaves; `now` without asking, also in the middle of a payment. */
  | { do: 'quit'; now?: boolean };

/** Typed, they take back the last letter, or all of a field: the control characters of Backspace and Ctrl-U. */
export const erasing = { letter: '\b', all: '\x15' };
