import { startSentinels } from '../msr/split-tracks.ts';
import { endsWithNumber, mostDigits } from './layout-digits.ts';
import type { WedgeSettings } from './wedge-settings.ts';

/** No hand types a row of characters at this pace. */
const handMs = 60;
/** The last of them may have been read so late. */
const readLateMs = 20;
/** As many characters that begin as a track does, without a pause, are a burst, also where they do not go on as a track. */
const leastOfTrack = 6;
/** … and as many are the rest, */
const leastOfRest = {
  /** … in the wake of a burst that broke off, whose last characters are card data too, */
  broken: 3,
  /** … in the wake of a whole one: a PIN and Enter that came with it are shorter, a track without sentinels longer. */
  whole: 8,
};
/** No swipe has as many characters before a number. */
const longest = 1_024;

/** A key, and when it came. */
export interface Piece {
  readonly text: string;
  readonly atMs: number;
}

/**
 * What a row may be: `track` begins as a track does; `rest` came in the wake of a burst; `other` is any other, a hand's
 * or a reader's whose tracks begin otherwise.
 */
export type RowKind = 'track' | 'rest' | 'other';

/** A row is keys; or a swipe from one of its characters on, with the keys before it; or not decided yet. */
export type RowVerdict = 'wait' | 'keys' | { readonly keysBefore: number; readonly tracksFrom: number };

/** What a row is judged by, besides itself. */
interface Circumstances {
  readonly settings: WedgeSettings;
  /** How the last burst ended. */
  readonly after: 'broken' | 'whole';
  /** A burst paused within a track, and may go on. */
  readonly stalled: boolean;
  /** The screen asks for a card number. */
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

  /** One key that is held down: no number has as many digits. */
  get isHeldKey(): boolean {
    return this.#repeated && this.#characters.length > mostDigits;
  }

  /** What the row is, as far as it has arrived. */
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

  /** A hand may have typed just before a swipe whose tracks begin with a sentinel. */
  #tracksWithSentinel({ prefix }: WedgeSettings): RowVerdict | undefined {
    const text = this.#characters.join('');
    const found = /(?:%[A-Z]|[;+!])\d{12}/i.exec(text);
    if (!found) return undefined;
    const tracksFrom = [...text.slice(0, found.index)].length;
    const hasPrefix = text.slice(0, found.index).endsWith(prefix);
    return { keysBefore: tracksFrom - (hasPrefix ? prefix.length : 0), tracksFrom };
  }

  /** At a person's pace; two keys are too few to decide. */
  get #isSlow(): boolean {
    const count = this.#characters.length;
    return count > 2 && this.#lastMs - this.#firstMs > handMs * (count - 1) + readLateMs;
  }
}

/** Whether a row may begin with this character as a track does, or as what the reader types before it. */
export function beginsTrack(character: string, { prefix }: WedgeSettings): boolean {
  return startSentinels.has(character) || prefix.startsWith(character);
}

/** A key that prints something, or ends a line; not the sequence of another, nor Escape or Ctrl and a letter. */
export function isCharacter(piece: string): boolean {
  return /^[^\p{Cc}]$|^[\r\n\t]$/u.test(piece);
}
