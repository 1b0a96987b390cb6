import type { Key } from '../../shared/emulator/screen.ts';
import type { TroubleMode } from './source.ts';

/** The parts of the screen that can have the arrow keys. */
export type Panel = 'cards' | 'sales' | 'journal' | 'receipt';

/** The pages and questions that lie over the screen. */
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

/** All parts of the screen in which the selection moves by steps. */
export type Stepped = Panel | 'payments' | 'calls' | 'sheet' | 'terminals' | 'troubles';

/** `notchUp` and `notchDown` come from the wheel, and scroll the view. */
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
  /** Opens the named line of the journal, or else the selected one. */
  | { do: 'openEntry'; seq?: number }
  | { do: 'otherEntry'; by: 1 | -1 }
  /** Lists only the lines of the journal that share this with the selected line. */
  | { do: 'only'; what: 'payment' | 'terminal' | 'kind' }
  | { do: 'openPayment'; id?: string }
  /** Opens the named sale, or else the selected one, as its requests and answers; then one step of it. */
  | { do: 'openSale'; saleId?: string }
  | { do: 'otherSale'; by: 1 | -1 }
  | { do: 'openCall'; index?: number }
  /** Goes from a sale to its payment, with the reason and both books. */
  | { do: 'salePayment' }
  /** Draws the device, or gives its room to the sales. */
  | { do: 'fold' }
  /** Goes from a payment to its part of the journal, or to its receipts. */
  | { do: 'paymentJournal' | 'paymentReceipt' }
  | { do: 'selectTrouble'; id: string }
  /** Sets the named trouble, or else the selected one. The same mode again, or none, takes it back. `after` payments pass first. */
  | { do: 'setTrouble'; id?: string; mode?: TroubleMode; after?: number }
  | { do: 'switchCopy' }
  | { do: 'otherReceipt'; by: 1 | -1 }
  | { do: 'details' }
  | { do: 'type'; text: string }
  | { do: 'erase' }
  | { do: 'askTip'; tip: boolean | 'other' }
  | { do: 'submit' }
  | { do: 'record' }
  /** A key without a meaning on the open page. */
  | { do: 'nothing'; key: string }
  /** Quits. With `now` it does not ask, even in the middle of a payment. */
  | { do: 'quit'; now?: boolean };

/** The control characters of Backspace and Ctrl-U. Typed, they delete the last letter or the whole field. */
export const erasing = { letter: '\b', all: '\x15' };
