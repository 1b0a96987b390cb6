import { startSentinels } from '../msr/split-tracks.ts';
import { endsWithCardNumber, maxCardNumberDigits } from './layout-digits.ts';
import type { WedgeSettings } from './wedge-settings.ts';

/**
 * The longest average pause, in milliseconds, between the characters that a reader types. If the average pause is
 * longer, a person typed the characters.
 */
const typingPauseMs = 60;
/** The program may have read the last character late. This is the allowance for such a delay, in milliseconds. */
const readLateMs = 20;
/**
 * If a run begins like a track and has at least this many characters without a pause, it is taken for a swipe, whatever
 * follows.
 */
const leastTrackCharacters = 6;
/**
 * If a run after a burst has at least this many characters without a pause, it is taken for the rest of the burst's
 * swipe.
 */
const leastRestCharacters = {
  /**
   * The minimum number of characters in a run that follows a burst that broke off. The number is small, because the
   * rest of such a burst is card data even if the rest is short.
   */
  broken: 3,
  /**
   * The minimum number of characters in a run that follows a whole burst. A PIN with Enter has fewer characters, and a
   * track without sentinels has more.
   */
  whole: 8,
};
/**
 * The maximum number of characters in an undecided run, which may or may not be a swipe. In a swipe, the card number
 * would have come much earlier.
 */
const mostUndecidedCharacters = 1_024;

/** A key, and the time at which it came. */
export interface TimedKey {
  readonly text: string;
  readonly atMs: number;
}

/**
 * The kind of a run. `track`: the run begins like a track. `rest`: the run came soon after a burst. `other`: any
 * other run. Such a run was typed by a person, or by a reader whose tracks begin differently.
 */
export type CharacterRunKind = 'track' | 'rest' | 'other';

/**
 * The judgement of a run. `wait`: it is not yet decided whether the run is a swipe. `keys`: all characters of the run
 * are keys. Otherwise the run contains a swipe: its first `keysBefore` characters are keys, and `tracksFrom` is the
 * index of the first character of the tracks.
 */
export type CharacterRunVerdict =
  | 'wait'
  | 'keys'
  | { readonly keysBefore: number; readonly tracksFrom: number };

/** The circumstances that matter for the judgement of a run. */
interface Circumstances {
  readonly settings: WedgeSettings;
  /** How the last burst ended: broken off, or whole. */
  readonly after: 'broken' | 'whole';
  /** Whether a burst has paused within a track, so that more characters of the burst can come. */
  readonly stalled: boolean;
  /** Whether the screen asks for a card number. */
  readonly takesNumber: boolean;
}

/** Characters that came without a pause between them, and any other keys that came among these characters. */
export class CharacterRun {
  kind: CharacterRunKind;
  readonly keys: TimedKey[] = [];
  #characters: string[] = [];
  #firstMs = 0;
  #lastMs = 0;
  #hasNumber = false;
  #repeated = true;

  constructor(kind: CharacterRunKind) {
    this.kind = kind;
  }

  append(key: TimedKey): void {
    this.keys.push(key);
    if (!isCharacterKey(key.text)) return;
    if (this.#characters.length === 0) this.#firstMs = key.atMs;
    this.#lastMs = key.atMs;
    this.#characters.push(key.text);
    this.#repeated &&= key.text === this.#characters[0];
    this.#hasNumber ||= endsWithCardNumber(this.#characters);
  }

  /**
   * Whether the run is one key that is held down: all its characters are equal, and it is longer than any card number.
   */
  get isHeldKey(): boolean {
    return this.#repeated && this.#characters.length > maxCardNumberDigits;
  }

  /** Judges the run from the characters that have come so far. */
  judge(circumstances: Circumstances): CharacterRunVerdict {
    if (this.kind === 'track') return this.#judgeTrack(circumstances);
    if (this.kind === 'rest') return this.#judgeRest(circumstances);
    return this.#judgeOther(circumstances);
  }

  #judgeTrack(circumstances: Circumstances): CharacterRunVerdict {
    const { prefix } = circumstances.settings;
    const text = this.#characters.join('');
    if (prefix.startsWith(text)) return 'wait';
    const tracksFrom = prefix !== '' && text.startsWith(prefix) ? prefix.length : 0;
    const track = text.slice(tracksFrom);
    if (!startSentinels.has(track.charAt(0))) {
      this.kind = 'other';
      return this.#judgeOther(circumstances);
    }
    if (/^(%B\d|[;+!]\d\d|..+\?)/is.test(track)) return { keysBefore: 0, tracksFrom };
    if (this.#isSlow) return 'keys';
    return track.length >= leastTrackCharacters ? { keysBefore: 0, tracksFrom } : 'wait';
  }

  #judgeRest({ after, stalled }: Circumstances): CharacterRunVerdict {
    const count = this.#characters.length;
    const last = this.#characters.at(-1) ?? '';
    const ends = stalled ? /[?\r\n\t]/.test(last) : after === 'broken' && count > 1 && last === '?';
    if (ends) return { keysBefore: 0, tracksFrom: 0 };
    if (this.#isSlow) return 'keys';
    return count >= leastRestCharacters[after] ? { keysBefore: 0, tracksFrom: 0 } : 'wait';
  }

  #judgeOther({ settings, takesNumber }: Circumstances): CharacterRunVerdict {
    if (this.isHeldKey || this.#characters.length > mostUndecidedCharacters) return 'keys';
    if (!this.#hasNumber) return 'wait';
    const printed = new Set(this.#characters.filter((character) => character > ' '));
    if (printed.size === 1) return 'wait';
    if (takesNumber && [...printed].every((character) => /\d/.test(character))) return 'wait';
    return this.#tracksWithSentinel(settings) ?? { keysBefore: 0, tracksFrom: 0 };
  }

  /**
   * Finds a swipe that begins with a sentinel anywhere in the run. A person may have typed the characters before the
   * swipe.
   */
  #tracksWithSentinel({ prefix }: WedgeSettings): CharacterRunVerdict | undefined {
    const text = this.#characters.join('');
    const found = /(?:%[A-Z]|[;+!])\d{12}/i.exec(text);
    if (!found) return undefined;
    const tracksFrom = [...text.slice(0, found.index)].length;
    const hasPrefix = text.slice(0, found.index).endsWith(prefix);
    return { keysBefore: tracksFrom - (hasPrefix ? prefix.length : 0), tracksFrom };
  }

  /** Whether the run came as slowly as a person types. Two keys are too few to decide that. */
  get #isSlow(): boolean {
    const count = this.#characters.length;
    return count > 2 && this.#lastMs - this.#firstMs > typingPauseMs * (count - 1) + readLateMs;
  }
}

/** Whether this character may be the beginning of a track, or of the prefix that the reader types before a track. */
export function beginsTrack(character: string, { prefix }: WedgeSettings): boolean {
  return startSentinels.has(character) || prefix.startsWith(character);
}

/** Whether a key prints a character or ends a line. Escape, escape sequences, and Ctrl with a letter do neither. */
export function isCharacterKey(key: string): boolean {
  return /^[^\p{Cc}]$|^[\r\n\t]$/u.test(key);
}
