import { startSentinels } from '../msr/split-tracks.ts';
import { endsWithNumber, mostDigits } from './layout-digits.ts';
import type { WedgeSettings } from './wedge-settings.ts';

/** The milliseconds between two characters. No hand types a row of characters at this pace. */
const handMs = 60;
/** How late the last character may have been read, in milliseconds. */
const readLateMs = 20;
/** The fewest characters without a pause that count as a burst if they begin as a track, even if they do not go on as one. */
const leastOfTrack = 6;
/** The fewest characters that count as the rest of a swipe. */
const leastOfRest = {
  /** After a burst that broke off, whose last characters are card data too. */
  broken: 3,
  /** After a whole burst. A PIN and Enter that came with it are shorter, and a track without sentinels is longer. */
  whole: 8,
};
/** More characters than any swipe has before a number. */
const longest = 1_024;

/** A key, and the moment at which it came. */
export interface Piece {
  readonly text: string;
  readonly atMs: number;
}

/**
 * The kind of a row: `track` begins as a track does, `rest` came soon after a burst, and `other` is any other row, typed by a
 * hand or by a reader whose tracks begin differently.
 */
export type RowKind = 'track' | 'rest' | 'other';

/** A row is keys, or keys and then a swipe from one of its characters on, or not decided yet. */
export type RowVerdict = 'wait' | 'keys' | { readonly keysBefore: number; readonly tracksFrom: number };

/** The circumstances by which a row is judged. */
interface Circumstances {
  readonly settings: WedgeSettings;
  /** How the last burst ended. */
  readonly after: 'broken' | 'whole';
  /** Whether a burst paused within a track, and may go on. */
  readonly stalled: boolean;
  /** Whether the screen asks for a card number. */
  readonly takesNumber: boolean;
}

/** Characters without a pause between them, and the other keys that came in between. */
export class Row {
  kind: RowKind;
  readonly pieces: Piece[] = [];
  #characters: string[] = [];
  #firstMs = 0;
  #lastMs = 0;
  #hasNumber = false;
  #repeated = true;

  constructor(kind: RowKind) {
    this.kind = kind;
  }

  append(piece: Piece): void {
    this.pieces.push(piece);
    if (!isCharacter(piece.text)) return;
    if (this.#characters.length === 0) this.#firstMs = piece.atMs;
    this.#lastMs = piece.atMs;
    this.#characters.push(piece.text);
    this.#repeated &&= piece.text === this.#characters[0];
    this.#hasNumber ||= endsWithNumber(this.#characters);
  }

  /** Whether the row is one key that is held down: it has more digits than any number. */
  get isHeldKey(): boolean {
    return this.#repeated && this.#characters.length > mostDigits;
  }

  /** Judges the row as far as it has arrived. */
  judge(circumstances: Circumstances): RowVerdict {
    if (this.kind === 'track') return this.#judgeTrack(circumstances);
    if (this.kind === 'rest') return this.#judgeRest(circumstances);
    return this.#judgeOther(circumstances);
  }

  #judgeTrack(circumstances: Circumstances): RowVerdict {
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
    return track.length >= leastOfTrack ? { keysBefore: 0, tracksFrom } : 'wait';
  }

  #judgeRest({ after, stalled }: Circumstances): RowVerdict {
    const count = this.#characters.length;
    const last = this.#characters.at(-1) ?? '';
    const ends = stalled ? /[?\r\n\t]/.test(last) : after === 'broken' && count > 1 && last === '?';
    if (ends) return { keysBefore: 0, tracksFrom: 0 };
    if (this.#isSlow) return 'keys';
    return count >= leastOfRest[after] ? { keysBefore: 0, tracksFrom: 0 } : 'wait';
  }

  #judgeOther({ settings, takesNumber }: Circumstances): RowVerdict {
    if (this.isHeldKey || this.#characters.length > longest) return 'keys';
    if (!this.#hasNumber) return 'wait';
    const printed = new Set(this.#characters.filter((character) => character > ' '));
    if (printed.size === 1) return 'wait';
    if (takesNumber && [...printed].every((character) => /\d/.test(character))) return 'wait';
    return this.#tracksWithSentinel(settings) ?? { keysBefore: 0, tracksFrom: 0 };
  }

  /** Finds a swipe whose tracks begin with a sentinel in a row. A hand may have typed the characters before it. */
  #tracksWithSentinel({ prefix }: WedgeSettings): RowVerdict | undefined {
    const text = this.#characters.join('');
    const found = /(?:%[A-Z]|[;+!])\d{12}/i.exec(text);
    if (!found) return undefined;
    const tracksFrom = [...text.slice(0, found.index)].length;
    const hasPrefix = text.slice(0, found.index).endsWith(prefix);
    return { keysBefore: tracksFrom - (hasPrefix ? prefix.length : 0), tracksFrom };
  }

  /** Whether the row came at a person's pace. Two keys are too few to decide. */
  get #isSlow(): boolean {
    const count = this.#characters.length;
    return count > 2 && this.#lastMs - this.#firstMs > handMs * (count - 1) + readLateMs;
  }
}

/** Whether this character may begin a track, or the prefix that the reader types before it. */
export function beginsTrack(character: string, { prefix }: WedgeSettings): boolean {
  return startSentinels.has(character) || prefix.startsWith(character);
}

/** Whether a key prints something or ends a line. Escape sequences, Escape and Ctrl with a letter do not. */
export function isCharacter(piece: string): boolean {
  return /^[^\p{Cc}]$|^[\r\n\t]$/u.test(piece);
}
