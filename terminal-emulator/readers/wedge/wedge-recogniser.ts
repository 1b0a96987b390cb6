import type { Clock, TimerHandle } from '../../../shared/clock.ts';
import { startSentinels } from '../msr/split-tracks.ts';
import { stallTolerantClock } from '../stall-tolerant-clock.ts';
import { Burst } from './burst.ts';
import type { WedgeSettings } from './wedge-settings.ts';

interface WedgeParts {
  readonly clock: Clock;
  readonly settings: WedgeSettings;
  /** A key that is none of a swipe's, unchanged and in order. */
  key(piece: string): void;
  /** What was typed faster than by hand and began as a track does: tracks as a serial reader sends them, or not. */
  swipe(tracks: string): void;
}

/** No hand pauses as little between all its keys; a reader pauses for 1 to 40 ms. */
const gapMs = 100;
/** No hand types a row of characters at this pace. */
const handMs = 60;
/** A burst that pauses within a track (a slow network) may go on for as long, then counts as broken. */
const brokenMs = 500;
/** … and what then comes as fast is still the rest of it. */
const restMs = 1_000;
/** The Enter of a reader may be late. */
const lateEnterMs = 500;

/** So many characters without a pause are a burst, also where they do not go on as a track does: */
const least = {
  /** … if the first is a track's, */
  other: 6,
  /** … in the wake of a burst that broke off, whose last characters are card data too, */
  afterBroken: 3,
  /** … in the wake of a whole one: a PIN and Enter that came with it are shorter, a track without sentinels longer. */
  afterWhole: 8,
};

interface Piece {
  readonly text: string;
  readonly atMs: number;
}

/**
 * Distinguishes what a keyboard-wedge reader types from what a person types. Such readers are keyboards: they type the tracks of
 * a card, `%B…?;…?` and Enter, into whatever has the focus. What could begin so is held back until the next
 * characters decide, at most {@link gapMs}; nothing else is delayed. No character of a swipe is ever a key, whole or
 * broken; no key of a hand is lost, and their order is kept.
 */
export class WedgeRecogniser {
  #parts: WedgeParts;
  /** A program that was held up reads first what was typed meanwhile. */
  #timers: Clock;
  /** Undecided yet; `held` as the rest of a burst, or as the beginning of one. */
  #held: Piece[] = [];
  #heldAsRest = false;
  #burst: Burst | undefined;
  /** The burst paused within a track. */
  #stalled = false;
  /** In the wake of a burst, or of what began as one. */
  #wake = { untilMs: Number.NEGATIVE_INFINITY, least: 0 };
  #enterUntilMs = Number.NEGATIVE_INFINITY;
  #holdTimer: TimerHandle;
  #burstTimer: TimerHandle;

  constructor(parts: WedgeParts) {
    this.#parts = parts;
    this.#timers = stallTolerantClock(parts.clock);
  }

  /** Takes one key: a character, or the whole escape sequence of another key or of the mouse. */
  feed(piece: string): void {
    this.#take({ text: piece, atMs: this.#parts.clock.monotonic() });
  }

  /** Forgets what is held. */
  close(): void {
    this.#timers.clearTimeout(this.#holdTimer);
    this.#timers.clearTimeout(this.#burstTimer);
    this.#held = [];
    this.#burst = undefined;
  }

  #take(piece: Piece): void {
    const { text, atMs } = piece;
    if (this.#held.length > 0) return this.#hold(piece);
    if (!isCharacter(text)) return this.#parts.key(text);
    if (this.#burst && !this.#stalled) {
      if (this.#burst.accepts(text)) return this.#append([text]);
      this.#finish(this.#burst);
    }
    if (/[\r\n]/.test(text) && atMs < this.#enterUntilMs) {
      this.#enterUntilMs = Number.NEGATIVE_INFINITY;
      return;
    }
    const begins = startSentinels.has(text) || this.#parts.settings.prefix.startsWith(text);
    if (!begins && (atMs >= this.#wake.untilMs || text < ' ')) return this.#parts.key(text);
    this.#heldAsRest = !begins;
    this.#hold(piece);
  }

  #hold(piece: Piece): void {
    // What begins as a track does is one, not the rest of another.
    if (this.#heldAsRest && startSentinels.has(piece.text)) this.#release();
    if (this.#held.length === 0) this.#heldAsRest &&= !startSentinels.has(piece.text);
    this.#held.push(piece);
    if (!isCharacter(piece.text)) return;
    this.#timers.clearTimeout(this.#holdTimer);
    this.#holdTimer = this.#timers.setTimeout(() => this.#release(), gapMs);
    if (this.#heldAsRest) return this.#decideRest();
    this.#decideStart();
  }

  #decideRest(): void {
    const characters = this.#held.filter(({ text }) => isCharacter(text));
    if (this.#isEndOfRest(characters)) return this.#confirm();
    if (isSlow(characters)) this.#release();
    else if (characters.length >= this.#wake.least) this.#confirm();
  }

  /** The last digits of a broken burst and its end sentinel. Alone, that asks for help. */
  #isEndOfRest(characters: readonly Piece[]): boolean {
    if (characters.at(-1)?.text !== '?') return false;
    return this.#stalled || (this.#wake.least === least.afterBroken && characters.length > 1);
  }

  #decideStart(): void {
    const characters = this.#held.filter(({ text }) => isCharacter(text));
    const text = characters.map((piece) => piece.text).join('');
    const { prefix } = this.#parts.settings;
    if (prefix.startsWith(text)) return;
    const before = prefix !== '' && text.startsWith(prefix) ? prefix.length : 0;
    const track = text.slice(before);
    if (!startSentinels.has(track.charAt(0))) return this.#releaseFirst();
    if (/^(%B\d|[;+!]\d\d|..+\?)/is.test(track)) this.#confirm(before);
    else if (isSlow(characters)) this.#release();
    else if (track.length >= least.other) this.#confirm(before);
  }

  /** It is a burst; keys that are no characters are not its own. */
  #confirm(before = 0): void {
    const pieces = this.#takeHeld();
    const characters = pieces.map(({ text }) => text).filter(isCharacter);
    this.#append(characters.slice(before));
    for (const { text } of pieces) if (!isCharacter(text)) this.#parts.key(text);
  }

  #append(characters: readonly string[]): void {
    this.#burst ??= new Burst(this.#parts.settings);
    for (const character of characters) this.#burst.append(character);
    this.#stalled = false;
    this.#timers.clearTimeout(this.#burstTimer);
    this.#burstTimer = this.#timers.setTimeout(() => this.#paused(), gapMs);
  }

  #paused(): void {
    const burst = this.#burst;
    if (!burst) return;
    if (burst.complete) return this.#finish(burst);
    this.#stalled = true;
    this.#suspect(least.afterBroken, brokenMs + restMs);
    this.#burstTimer = this.#timers.setTimeout(() => this.#finish(burst), brokenMs - gapMs);
  }

  #finish(burst: Burst): void {
    this.#timers.clearTimeout(this.#burstTimer);
    this.#burst = undefined;
    this.#stalled = false;
    if (burst.complete) this.#suspect(least.afterWhole, brokenMs);
    else this.#suspect(least.afterBroken, restMs);
    if (burst.complete && !burst.terminated) this.#enterUntilMs = this.#parts.clock.monotonic() + lateEnterMs;
    this.#parts.swipe(burst.tracks);
  }

  #suspect(atLeast: number, forMs: number): void {
    this.#wake = { untilMs: this.#parts.clock.monotonic() + forMs, least: atLeast };
  }

  /** It was a hand. */
  #release(): void {
    const pieces = this.#takeHeld();
    // A reader that paused behind its first characters is not to be missed.
    if (!this.#heldAsRest) this.#suspect(least.afterBroken, restMs);
    for (const { text } of pieces) this.#parts.key(text);
  }

  /** It began as the prefix does and went on otherwise; behind its first key something else may begin. */
  #releaseFirst(): void {
    const [first, ...others] = this.#takeHeld();
    if (first) this.#parts.key(first.text);
    for (const piece of others) this.#take(piece);
  }

  #takeHeld(): Piece[] {
    this.#timers.clearTimeout(this.#holdTimer);
    const pieces = this.#held;
    this.#held = [];
    return pieces;
  }
}

/** A key that prints something, or ends a line; not the sequence of another, nor Escape or Ctrl and a letter. */
function isCharacter(piece: string): boolean {
  return /^[^\p{Cc}]$|^[\r\n\t]$/u.test(piece);
}

/** At a person's pace; two keys are too few to decide. */
function isSlow(pieces: readonly Piece[]): boolean {
  const first = pieces[0]?.atMs ?? 0;
  const last = pieces.at(-1)?.atMs ?? 0;
  return pieces.length > 2 && last - first > handMs * (pieces.length - 1);
}
