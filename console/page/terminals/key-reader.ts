import type { Clock } from '../../../shared/clock.ts';
import { WedgeRecogniser } from '../../../terminal-emulator/readers/wedge/wedge-recogniser.ts';
import { findKeyMeaning } from './device-keys.ts';
import { isField, LateKeyTyper } from './late-keys.ts';

/** The functions that receive keys and swipes. */
export interface KeyAndSwipeHandlers {
  /** Whether the terminal in view asks for a card number. */
  readonly takesNumber: boolean;
  /** Handles a typed key. Returns whether the key had an effect. */
  readonly onKey: (key: string) => boolean;
  readonly onSwipe: (tracks: string) => void;
}

/** The text that keyboard-wedge readers type before and after the tracks. */
export interface WedgeAffixes {
  readonly prefix: string;
  readonly suffix: string;
}

/** The characters that stand for the Enter and Tab keys of wedge readers. */
const characters: Record<string, string> = { Enter: '\r', Tab: '\t' };

/**
 * Separates typed keys from swipes. A key that may belong to a swipe is held back. Once it is known that the key
 * belongs to no swipe, the key is typed into the element that has the focus at that moment.
 */
export class KeyAndSwipeReader {
  #recogniser: WedgeRecogniser;
  #lateKeys: LateKeyTyper;
  /**
   * The keys that belong to no swipe, as far as the recogniser has found such keys while it examines the present key.
   * Undefined while it examines no key.
   */
  #passed: string[] | undefined;

  constructor(clock: Clock, settings: WedgeAffixes, latest: { readonly current: KeyAndSwipeHandlers }) {
    this.#lateKeys = new LateKeyTyper((key) => latest.current.onKey(key));
    this.#recogniser = new WedgeRecogniser({
      clock,
      settings,
      key: (piece) => (this.#passed ? this.#passed.push(piece) : this.#typeLate(piece)),
      swipe: (tracks) => latest.current.onSwipe(tracks),
      takesNumber: () => latest.current.takesNumber && !isField(document.activeElement),
      afterReading: inNextTask,
    });
  }

  /**
   * Returns true if a key is held back because it may belong to a swipe. If the key shows that earlier keys belong to
   * no swipe, types those earlier keys first.
   */
  swallows({ key, target }: KeyboardEvent): boolean {
    const piece = characters[key] ?? key;
    const isCharacter = [...piece].length === 1;
    const isRead = isCharacter || (findKeyMeaning(key) !== undefined && !isField(target as Element));
    // The browser itself carries out this key right after this event. So the earlier keys must be typed before this
    // event ends.
    if (key === 'Tab' || !isRead) this.settle();
    return isRead && this.#holds(piece);
  }

  /**
   * Does the same as {@link swallows} for an inserted character that no single key types, such as an accented letter
   * from two keys.
   */
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

  /** Whether the present event comes from a key that was held back and is typed only now. */
  get typesLate(): boolean {
    return this.#lateKeys.typingNow;
  }

  /** Whether the next keys belong to a swipe. */
  get swiping(): boolean {
    return this.#recogniser.swiping;
  }

  /** Types all keys that were held back. Does this at once, before the next event. */
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
 * Calls a function in the next task of the event loop, by means of a message. Browsers handle waiting keys before
 * such a message. A timer would take a millisecond longer.
 */
function inNextTask(run: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    run();
  };
  port2.postMessage(undefined);
}
