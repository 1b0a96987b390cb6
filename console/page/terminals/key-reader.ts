import type { Clock } from '../../../shared/clock.ts';
import { WedgeRecogniser } from '../../../terminal-emulator/readers/wedge/wedge-recogniser.ts';
import { meaningOf } from './device-keys.ts';
import { isField, LateKeys } from './late-keys.ts';

/** The receiver of keys and swipes. */
export interface KeyTaker {
  /** Whether the terminal in view asks for a card number. */
  readonly takesNumber: boolean;
  /** Takes a key. Returns whether it had a meaning. */
  readonly onKey: (key: string) => boolean;
  readonly onSwipe: (tracks: string) => void;
}

/** The text that wedge readers type around tracks. */
export interface WedgeAffixes {
  readonly prefix: string;
  readonly suffix: string;
}

/** The characters for keys of wedge readers that print nothing. */
const characters: Record<string, string> = { Enter: '\r', Tab: '\t' };

/**
 * Separates keys from swipes. A key that was held back but belongs to no swipe is typed late, where it was meant to go.
 */
export class KeyReader {
  #recogniser: WedgeRecogniser;
  #lateKeys: LateKeys;
  /** The keys that came out while a key went in. */
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

  /** Whether a key is held back or belongs to a swipe. Keys that were held back and are released come first. */
  swallows({ key, target }: KeyboardEvent): boolean {
    const piece = characters[key] ?? key;
    const isCharacter = [...piece].length === 1;
    const isRead = isCharacter || (meaningOf(key) !== undefined && !isField(target as Element));
    // Only the browser can carry this key out, and not late. So the keys before it are settled first.
    if (key === 'Tab' || !isRead) this.settle();
    return isRead && this.#holds(piece);
  }

  /** Does the same for an inserted character that was no key, such as an accent with the next key. */
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

  /** Whether the present event comes from a key that is typed late. */
  get typesLate(): boolean {
    return this.#lateKeys.typingNow;
  }

  /** Whether the next keys belong to a swipe. */
  get swiping(): boolean {
    return this.#recogniser.swiping;
  }

  /** Types the keys that are held back, before the next event. */
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

/**
 * Runs in the next task, after waiting keys, which browsers prefer to messages. A timer would run a millisecond later.
 */
function inNextTask(run: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    run();
  };
  port2.postMessage(undefined);
}
