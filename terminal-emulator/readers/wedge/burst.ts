import { startSentinels } from '../msr/split-tracks.ts';
import type { WedgeSettings } from './wedge-settings.ts';

/**
 * Where the last character of a burst stands. It is in a track, is its end sentinel, or follows that: as a sentinel
 * that can be the check character or begin the next track, as the check character, or between or after tracks.
 */
type Place = 'track' | 'end' | 'endOrStart' | 'check' | 'between';

const terminators = new Set(['\r', '\n', '\t']);
/**
 * The most characters that are kept. Three tracks with all that surrounds them are shorter, so longer text is no swipe.
 */
const longest = 1_024;

/** The characters that a wedge reader has typed for one swipe so far. */
export class Burst {
  #tracks = '';
  #place: Place = 'track';
  #terminated = false;
  /** Whether the tracks have sentinels. If not, because another layout changes them, only Enter or Tab ends a track. */
  readonly hasSentinels: boolean;
  #affixes: Set<string>;

  /** `settings` tell what may stand around tracks. */
  constructor({ prefix, suffix }: WedgeSettings, hasSentinels: boolean) {
    this.hasSentinels = hasSentinels;
    this.#affixes = new Set([...prefix, ...suffix]);
  }

  /** The tracks as a serial reader sends them, with a carriage return between them. */
  get tracks(): string {
    return this.#tracks;
  }

  /** Whether every track that began has ended, and no other seems to begin. More may follow. */
  get complete(): boolean {
    return this.#place !== 'track' && this.#place !== 'endOrStart';
  }

  /** Whether the last track was followed by a character that ends a swipe, such as Enter. */
  get terminated(): boolean {
    return this.#terminated;
  }

  /**
   * Takes a character. Gives false if the burst is complete and the character does not belong to it, because it is the
   * next key.
   */
  accepts(character: string): boolean {
    return this.#placeOf(character) !== undefined;
  }

  append(character: string): void {
    this.#place = this.#placeOf(character) ?? 'between';
    this.#terminated = this.#place === 'between';
    if (this.#tracks.length <= longest) this.#tracks += this.#terminated ? '\r' : character;
  }

  #placeOf(character: string): Place | undefined {
    if (this.#place === 'track' && !this.hasSentinels)
      return terminators.has(character) ? 'between' : 'track';
    if (this.#place === 'track') return character === '?' ? 'end' : 'track';
    if (terminators.has(character) || this.#affixes.has(character)) return 'between';
    if (this.#place === 'end') return startSentinels.has(character) ? 'endOrStart' : 'check';
    if (this.#place === 'endOrStart' && !startSentinels.has(character))
      return character === '?' ? 'end' : 'track';
    return startSentinels.has(character) ? 'track' : undefined;
  }
}
