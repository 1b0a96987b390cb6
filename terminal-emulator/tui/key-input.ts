import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../shared/clock.ts';
import { WedgeRecogniser } from '../readers/wedge/wedge-recogniser.ts';
import type { WedgeSettings } from '../readers/wedge/wedge-settings.ts';
import { splitInput } from './split-input.ts';

/** A keyboard: process.stdin, or an object like process.stdin. */
export type Keyboard = Readable & { isRaw?: boolean; setRawMode?(raw: boolean): unknown };

/**
 * The sequences for pasted text. After the program has sent `on`, a terminal window sends `begins` before the pasted
 * text and `ends` after it.
 */
export const bracketedPaste = {
  on: '\x1b[?2004h',
  off: '\x1b[?2004l',
  begins: '\x1b[200~',
  ends: '\x1b[201~',
};
/**
 * The longest pause within a paste, in milliseconds. After a longer pause, the paste counts as finished, because the
 * sequence that ends the paste must have been lost.
 */
const pastePauseMs = 1_000;

interface KeyInputParts {
  readonly clock: Clock;
  /**
   * The characters that keyboard-wedge readers type before and after the tracks. If absent, swipes are not
   * recognised, and the characters of a swipe count as keys.
   */
  readonly wedge?: WedgeSettings;
  swipe(tracks: string): void;
  /** Whether the screen asks for a card number. */
  takesNumber(): boolean;
}

/**
 * Passes the keyboard's input on to blessed in the form that blessed needs: one key or click at a time. Does not pass
 * on the swipes that a keyboard-wedge reader types. Pasted text counts as keys (B208).
 */
export class KeyInput extends EventEmitter {
  #keyboard: Keyboard;
  #decoder = new StringDecoder('utf8');
  #rest = '';
  #clock: Clock;
  #wedge: WedgeRecogniser | undefined;
  #pastingUntilMs = Number.NEGATIVE_INFINITY;
  #onData = (chunk: Buffer | string) => {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    const { pieces, rest } = splitInput(this.#rest + text);
    this.#rest = rest;
    for (const piece of pieces) this.#take(piece);
  };

  constructor(keyboard: Keyboard, { clock, wedge, swipe, takesNumber }: KeyInputParts) {
    super();
    this.#keyboard = keyboard;
    this.#clock = clock;
    if (wedge)
      this.#wedge = new WedgeRecogniser({
        clock,
        settings: wedge,
        key: (piece) => this.#key(piece),
        swipe,
        takesNumber,
        afterReading: setImmediate, // setImmediate runs after the keyboard is read
      });
    keyboard.on('data', this.#onData);
  }

  // blessed uses the following members of its input, besides the event `data`.

  get isRaw(): boolean {
    return this.#keyboard.isRaw ?? false;
  }

  get destroyed(): boolean {
    return this.#keyboard.destroyed;
  }

  setRawMode(raw: boolean): void {
    this.#keyboard.setRawMode?.(raw);
  }

  resume(): void {
    this.#keyboard.resume();
  }

  pause(): void {
    this.#keyboard.pause();
  }

  close(): void {
    this.#keyboard.off('data', this.#onData);
    this.#wedge?.close();
  }

  #take(piece: string): void {
    if (piece === bracketedPaste.begins) return this.#expectPastedText();
    if (piece === bracketedPaste.ends) return this.#endPaste();
    if (this.#clock.monotonic() < this.#pastingUntilMs) {
      this.#expectPastedText();
      this.#key(piece);
    } else if (this.#wedge) this.#wedge.feed(piece);
    else this.#key(piece);
  }

  /** Counts the input of the next second as pasted. Before that, passes on all keys that the user has already typed. */
  #expectPastedText(): void {
    this.#wedge?.settle();
    this.#pastingUntilMs = this.#clock.monotonic() + pastePauseMs;
  }

  #endPaste(): void {
    this.#wedge?.settle();
    this.#pastingUntilMs = Number.NEGATIVE_INFINITY;
  }

  #key(piece: string): void {
    this.emit('data', Buffer.from(piece));
  }
}
