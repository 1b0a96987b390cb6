import type { Key } from '../../shared/emulator/screen.ts';

/** The parts of the screen that can have the arrow keys. */
export type Panel = 'cards' | 'journal' | 'receipt';

/** What lies over the screen. */
export type Overlay = 'help' | 'sale' | 'search' | 'journal' | 'receipt';

export type Step = 'lineUp' | 'lineDown' | 'pageUp' | 'pageDown' | 'home' | 'end';

/** Everything a person can ask of the text UI, by key or by mouse. */
export type Command =
  | { do: 'press'; key: Key }
  | { do: 'insert' | 'tap' | 'swipe' | 'keyIn' | 'remove' | 'unblock' }
  | { do: 'power' | 'network' | 'shopper' }
  | { do: 'selectTerminal'; index: number }
  | { do: 'nextTerminal'; by: 1 | -1 }
  | { do: 'selectCard'; id: string }
  | { do: 'step'; step: Step; panel?: Panel }
  | { do: 'focus'; panel: Panel }
  | { do: 'nextPanel'; by: 1 | -1 }
  | { do: 'open'; overlay: Overlay }
  | { do: 'close' }
  | { do: 'switchCopy' }
  | { do: 'otherReceipt'; by: 1 | -1 }
  | { do: 'details' }
  | { do: 'type'; text: string }
  | { do: 'erase' }
  | { do: 'askTip'; tip: boolean | 'other' }
  | { do: 'submit' }
  | { do: 'record' }
  | { do: 'quit' };
