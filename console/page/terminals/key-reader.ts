import type { Clock } from '../../../shared/clock.ts';
import { WedgeRecogniser } from '../../../terminal-emulator/readers/wedge/wedge-recogniser.ts';
import { meaningOf } from './device-keys.ts';
import { isField, LateKeys } from './late-keys.ts';

/** What keys and swipes are for. */
export interface KeyTaker {
  /** Whether the terminal in view asks for a card number. */
  readonly takesNumber: boolean;
  /** Returns whether the key meant something. */
  readonly onKey: (key: string) => boolean;
  readonly onSwipe: (tracks: string) => void;
}

/** What wedge readers type around tracks. */
export interface WedgeAffixes {
  readonly prefix: string;
  readonly suffix: string;
}

/** Keys that wedge readers type which print nothing. */
const characters: Record<string, string> = { Enter: '\r', Tab: '\t' };

/** Sorts keys from swipes; a key that was held back and is none of a swipe's is typed late, where it was meant to go. */
export class KeyReader {
  #recogniser: WedgeRecogniser;
  #lateKeys: LateKeys;
  /** What came out while a key went in. */
  #passed: string[] | undefined;

  constructor(clock: Clock, settings: WedgeAffixes, latest: { readonly current: KeyTaker }) {
    this.#lateKeys = new LateKeys((key) => latest.current.onKey(key));
    this.#recogniser = new WedgeRecogniser({
      clock,
      settings,
      key: (piece) => (this.#passed ? this.#passed.push(piece) : this.#typeLate(piece)),
      swipe: (tracks) => latest.current.onSwipe(tracks),
      takesNumber: () => latest.current.takesNumber && !isField(document.activeElement),
      afterReading: inNextTask,
    });
  }

  /** Whether a key is held back, or part of a swipe; what was held back before and is let go comes first. */
  swallows({ key, target }: KeyboardEvent): boolean {
    const piece = characters[key] ?? key;
    const isCharacter = [...piece].length === 1;
    const isRead = isCharacter || (meaningOf(key) !== undefined && !isField(target as Element));
    // What only the browser can do with a key, it cannot do late.
    if (key === 'Tab' || !isRead) this.settle();
    return isRead && this.#holds(piece);
  }

  /** The same for a character that is inserted into a field and was no key, as of an accent and the next key. */
  swallowsInserted({ inputType, data }: InputEvent): boolean {
    return inputType === 'insertText' && [...(data ?? '')].length === 1 && this.#holds(data ?? '');
  }

  #holds(piece: string): boolean {
    this.#passed = [];
    this.#recogniser.feed(piece);
    const passed = this.#passed;
    this.#passed = undefined;
    if (passed.length === 1 && passed[0] === piece) return false;
    for (const late of passed) this.#typeLate(late);
    return true;
  }

  /** What happens now is of a key that was read before. */
  get typesLate(): boolean {
    return this.#lateKeys.typingNow;
  }

  /** What comes now belongs to a swipe. */
  get swiping(): boolean {
    return this.#recogniser.swiping;
  }

  /** Types what is held back, before what happens next. */
  settle(): void {
    this.#recogniser.settle();
  }

  close(): void {
    this.#recogniser.close();
  }

  #typeLate(piece: string): void {
    this.#lateKeys.type({ '\r': 'Enter', '\t': 'Tab' }[piece] ?? piece);
  }
}

/** Keys that wait go first: browsers prefer them to messages. A timer would come a millisecond later. */
function inNextTask(run: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    run();
  };
  port2.postMessage(undefined);
}
