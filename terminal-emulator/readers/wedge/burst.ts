import { startSentinels } from '../msr/split-tracks.ts';
import type { WedgeSettings } from './wedge-settings.ts';

/**
 * The position of a burst's last character. `track`: the character is inside a track. `end`: the character is a
 * track's end sentinel. `endOrStart`: the character is a sentinel right after an end sentinel, and is either the
 * check character or the start of the next track. `check`: the character is the check character. `between`: the
 * character is between tracks or after the last track.
 */
type Position = 'track' | 'end' | 'endOrStart' | 'check' | 'between';

const terminators = new Set(['\r', '\n', '\t']);
/**
 * The maximum number of characters that are kept. Three tracks with everything around them are shorter, so a longer
 * text is no swipe.
 */
const longest = 1_024;

/** The characters that a keyboard-wedge reader has typed so far for one swipe. */
export class WedgeBurst {
  #tracks = '';
  #position: Position = 'track';
  #terminated = false;
  /**
   * Whether the tracks have sentinels. Some keyboard layouts replace the sentinels by other characters. Then only Enter
   * or Tab ends a track.
   */
  readonly hasSentinels: boolean;
  #affixes: Set<string>;

  /** `settings` says which characters the reader types before and after tracks. */
  constructor({ prefix, suffix }: WedgeSettings, hasSentinels: boolean) {
    this.hasSentinels = hasSentinels;
    this.#affixes = new Set([...prefix, ...suffix]);
  }

  /** The tracks as a serial reader sends them, with a carriage return between them. */
  get tracks(): string {
    return this.#tracks;
  }

  /** Whether every track that began has ended, and no other track seems to begin. More characters may still follow. */
  get complete(): boolean {
    return this.#position !== 'track' && this.#position !== 'endOrStart';
  }

  /** Whether the last track was followed by a character that ends a swipe, such as Enter. */
  get terminated(): boolean {
    return this.#terminated;
  }

  /**
   * Whether a character can belong to the burst. If the burst is already complete, a person may have typed this
   * character.
   */
  accepts(character: string): boolean {
    return this.#positionOf(character) !== undefined;
  }

  append(character: string): void {
    this.#position = this.#positionOf(character) ?? 'between';
    this.#terminated = this.#position === 'between';
    if (this.#tracks.length <= longest) this.#tracks += this.#terminated ? '\r' : character;
  }

  #positionOf(character: string): Position | undefined {
    if (this.#position === 'track' && !this.hasSentinels)
      return terminators.has(character) ? 'between' : 'track';
    if (this.#position === 'track') return character === '?' ? 'end' : 'track';
    if (terminators.has(character) || this.#affixes.has(character)) return 'between';
    if (this.#position === 'end') return startSentinels.has(character) ? 'endOrStart' : 'check';
    if (this.#position === 'endOrStart' && !startSentinels.has(character))
      return character === '?' ? 'end' : 'track';
    return startSentinels.has(character) ? 'track' : undefined;
  }
}
