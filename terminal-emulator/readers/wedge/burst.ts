import { startSentinels } from '../msr/split-tracks.ts';
import type { WedgeSettings } from './wedge-settings.ts';

/**
 * Where the last character of a burst stands: in a track; its end sentinel; behind that, a sentinel that can be the
 * check character or begin the next track; its check character; between tracks, or after the last.
 */
type Place = 'track' | 'end' | 'endOrStart' | 'check' | 'between';

const terminators = new Set(['\r', '\n', '\t']);
/** Three tracks with all that is around them are shorter; what is longer is no swipe, and kept no further. */
const longest = 1_024;

/** What a wedge reader types for one swipe, as far as it has arrived. */
export class Burst {
  #tracks = '';
  #place: Place = 'track';
  #terminated = false;
  /** Without, as another layout types tracks, only Enter or Tab ends one. */
  readonly hasSentinels: boolean;
  #affixes: Set<string>;

  /** `settings` say what may stand around tracks. */
  constructor({ prefix, suffix }: WedgeSettings, hasSentinels: boolean) {
    this.hasSentinels = hasSentinels;
    this.#affixes = new Set([...prefix, ...suffix]);
  }

  /** The tracks, with a carriage return for what stood between them: as a serial reader sends them. */
  get tracks(): string {
    return this.#tracks;
  }

  /** Every track that began has ended, and none seems to begin; more may follow. */
  get complete(): boolean {
    return this.#place !== 'track' && this.#place !== 'endOrStart';
  }

  /** Something followed the last track that readers type to end it, such as Enter. */
  get terminated(): boolean {
    return this.#terminated;
  }

  /** False if the burst is complete and this character does not belong to it: the next key, in the same chunk. */
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
