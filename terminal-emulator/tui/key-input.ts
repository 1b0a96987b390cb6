import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../shared/clock.ts';
import { WedgeRecogniser } from '../readers/wedge/wedge-recogniser.ts';
import type { WedgeSettings } from '../readers/wedge/wedge-settings.ts';
import { splitInput } from './split-input.ts';

/** A keyboard: process.stdin, or something like it. */
export type Keyboard = Readable & { isRaw?: boolean; setRawMode?(raw: boolean): unknown };

/** The keyboard as blessed wants it, one key or click at a time, without what a keyboard-wedge reader types. */
export class KeyInput extends EventEmitter {
  #keyboard: Keyboard;
  #decoder = new StringDecoder('utf8');
  #rest = '';
  #wedge: WedgeRecogniser | undefined;
  #onData = (chunk: Buffer | string) => {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    const { pieces, rest } = splitInput(this.#rest + text);
    this.#rest = rest;
    for (const piece of pieces) this.#take(piece);
  };

  constructor(
    keyboard: Keyboard,
    { clock, wedge }: { readonly clock: Clock; readonly wedge?: WedgeSettings },
    swipe: (tracks: string) => void,
  ) {
    super();
    this.#keyboard = keyboard;
    if (wedge)
      this.#wedge = new WedgeRecogniser({ clock, settings: wedge, key: (piece) => this.#key(piece), swipe });
    keyboard.on('data', this.#onData);
  }

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
    if (this.#wedge) this.#wedge.feed(piece);
    else this.#key(piece);
  }

  #key(piece: string): void {
    this.emit('data', Buffer.from(piece));
  }
}
