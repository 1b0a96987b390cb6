import { startSentinels } from '../msr/split-tracks.ts';
import { Burst } from './burst.ts';
import {
  beginsTrack,
  CharacterRun,
  type CharacterRunKind,
  type CharacterRunVerdict,
  isCharacter,
  type TimedKey,
} from './character-run.ts';
import { TimeWindow, TypingClock, type TypingClockParts } from './typing-clock.ts';
import type { WedgeSettings } from './wedge-settings.ts';

interface WedgeParts extends TypingClockParts {
  readonly settings: WedgeSettings;
  /** Takes a key that belongs to no swipe. Keys come unchanged and in order. */
  key(piece: string): void;
  /**
   * Takes the characters of a swipe. They look like the characters from a serial reader, unless the system has another
   * keyboard layout.
   */
  swipe(tracks: string): void;
  /** Whether the screen asks for a card number. If so, digits alone count as keys. */
  takesNumber?(): boolean;
}

/**
 * The maximum time, in ms, for which keys are held back. It is a little longer than the pauses of a reader, which are
 * at most 60 ms.
 */
const pauseMs = 70;
/** The longest pause, in ms, within a row that could be a track. No person types a whole row with shorter pauses. */
const gapMs = 100;
/**
 * A burst that pauses within a track for this long, in ms, counts as broken. A slow network can cause shorter pauses.
 */
const brokenMs = 500;
/** Characters that come fast within this time, in ms, after a broken burst count as the rest of that burst. */
const restMs = 1_000;
/** The maximum time, in ms, from the tracks of a swipe to the Enter that the reader types after them. */
const lateEnterMs = 500;

/**
 * Distinguishes the characters of a keyboard-wedge reader from the keys of a person. Such a reader is a keyboard: it
 * types a card's tracks and Enter into the window with the focus. With a US layout it types `%B…?;…?`, with another
 * layout other characters.
 *
 * Characters without a pause between them form a row. The row is held back until a pause, or until it shows what it is
 * (B163, {@link CharacterRun.judge}). If it is keys, they are passed on in order. If it is a swipe, whole or broken, no
 * character of it is ever passed on as a key.
 */
export class WedgeRecogniser {
  #parts: WedgeParts;
  #time: TypingClock;
  /** The row that is not decided yet. */
  #row: CharacterRun | undefined;
  /** The key that is held down. Until `untilMs`, the same key again counts as a repetition of it. */
  #heldKey = { text: '', untilMs: Number.NEGATIVE_INFINITY };
  #burst: Burst | undefined;
  /** Whether the burst paused within a track. */
  #stalled = false;
  /**
   * The time after a burst in which the rest of its swipe may still come. `after` says how the burst ended, and
   * `hasSentinels` whether its tracks have sentinels.
   */
  #wake: { lasts: TimeWindow; after: 'broken' | 'whole'; hasSentinels: boolean };
  /** The time in which the last burst's Enter may still come. */
  #enterMayCome: TimeWindow;
  #rowTimer: ReturnType<TypingClock['wait']> | undefined;
  #burstTimer: ReturnType<TypingClock['wait']> | undefined;

  constructor(parts: WedgeParts) {
    this.#parts = parts;
    this.#time = new TypingClock(parts);
    this.#wake = { lasts: new TimeWindow(this.#time), after: 'whole', hasSentinels: false };
    this.#enterMayCome = new TimeWindow(this.#time);
  }

  /** Takes one key: a character, or the name or escape sequence of another key or of the mouse. */
  feed(text: string): void {
    const atMs = this.#time.now();
    if (!this.#row) {
      if (!isCharacter(text) || this.#isHeldKey(text, atMs)) return this.#parts.key(text);
      if (this.#continuesBurst(text) || this.#isLateEnter(text)) return;
      const kind = this.#kindBegunBy(text);
      if (!kind) return this.#parts.key(text);
      this.#row = new CharacterRun(kind);
    }
    this.#extend(this.#row, { text, atMs });
  }

  /** Passes on the held characters as keys. It is called before an action that expects them to be typed already. */
  settle(): void {
    if (this.#row) this.#release(this.#row);
  }

  /** Whether the next characters belong to a swipe. */
  get swiping(): boolean {
    return this.#burst !== undefined;
  }

  /** Drops the characters that are held back. */
  close(): void {
    this.#dropRow();
    this.#time.end(this.#burstTimer);
    this.#burst = undefined;
    this.#wake.lasts.end();
    this.#enterMayCome.end();
  }

  #isHeldKey(text: string, atMs: number): boolean {
    if (text !== this.#heldKey.text || atMs >= this.#heldKey.untilMs) return false;
    this.#heldKey.untilMs = atMs + pauseMs;
    return true;
  }

  #continuesBurst(text: string): boolean {
    if (!this.#burst || (this.#stalled && !/[\r\n\t]/.test(text))) return false;
    if (this.#burst.accepts(text)) {
      this.#append([text]);
      return true;
    }
    this.#finish(this.#burst);
    return false;
  }

  #isLateEnter(text: string): boolean {
    if (!/[\r\n]/.test(text) || !this.#enterMayCome.lasts) return false;
    this.#enterMayCome.end();
    return true;
  }

  /**
   * Says which kind of row can begin with this text; undefined if no row can. No track and no number begins with a
   * space or the end of a line.
   */
  #kindBegunBy(text: string): CharacterRunKind | undefined {
    if (beginsTrack(text, this.#parts.settings)) return 'track';
    if (text < ' ') return undefined;
    if (this.#wake.lasts.lasts) return 'rest';
    return text === ' ' ? undefined : 'other';
  }

  #extend(row: CharacterRun, piece: TimedKey): void {
    // If the burst's tracks have sentinels, a start sentinel begins a new track, which does not belong to the rest.
    if (row.kind === 'rest' && this.#wake.hasSentinels && startSentinels.has(piece.text)) {
      this.#release(row);
      this.#row = new CharacterRun('track');
      return this.#extend(this.#row, piece);
    }
    row.append(piece);
    if (!isCharacter(piece.text)) return;
    const verdict = row.judge({
      settings: this.#parts.settings,
      after: this.#wake.after,
      stalled: this.#stalled,
      takesNumber: this.#parts.takesNumber?.() ?? false,
    });
    if (verdict === 'keys') return this.#release(row);
    if (verdict !== 'wait') return this.#confirm(row, verdict);
    this.#time.end(this.#rowTimer);
    this.#rowTimer = this.#time.wait(row.kind === 'other' ? pauseMs : gapMs, () => this.#release(row));
  }

  /** Passes on a row that a person typed. */
  #release(row: CharacterRun): void {
    this.#dropRow();
    // The row may be the beginning of a swipe in which the reader paused. Then the rest of the swipe still comes.
    if (row.kind === 'track') this.#suspect('broken', restMs, true);
    const last = row.pieces.at(-1);
    if (last && row.isHeldKey) this.#heldKey = { text: last.text, untilMs: last.atMs + pauseMs };
    for (const { text } of row.pieces) this.#parts.key(text);
  }

  /** Takes a row for a swipe. Its keys that are not characters, and the keys before the tracks, are passed on. */
  #confirm(row: CharacterRun, { keysBefore, tracksFrom }: Exclude<CharacterRunVerdict, string>): void {
    this.#dropRow();
    const tracks: string[] = [];
    let characters = 0;
    for (const { text } of row.pieces) {
      const at = isCharacter(text) ? characters++ : -1;
      if (at < keysBefore) this.#parts.key(text);
      else if (at >= tracksFrom) tracks.push(text);
    }
    // The rest of a broken track ends like that track. After a whole burst, the rest is a track without sentinels.
    const hasSentinels =
      row.kind === 'rest'
        ? this.#wake.after === 'broken' && this.#wake.hasSentinels
        : startSentinels.has(tracks[0] ?? '');
    this.#burst ??= new Burst(this.#parts.settings, hasSentinels);
    this.#append(tracks);
  }

  #append(characters: readonly string[]): void {
    for (const character of characters) this.#burst?.append(character);
    this.#stalled = false;
    this.#time.end(this.#burstTimer);
    this.#burstTimer = this.#time.wait(gapMs, () => this.#paused());
  }

  #paused(): void {
    const burst = this.#burst;
    if (!burst) return;
    if (burst.complete) return this.#finish(burst);
    this.#stalled = true;
    this.#suspect('broken', brokenMs + restMs, burst.hasSentinels);
    this.#burstTimer = this.#time.wait(brokenMs - gapMs, () => this.#finish(burst));
  }

  #finish(burst: Burst): void {
    this.#time.end(this.#burstTimer);
    this.#burst = undefined;
    this.#stalled = false;
    // If the tracks have no sentinels, nothing shows that a burst broke off.
    const isBroken = burst.hasSentinels && !burst.complete;
    this.#suspect(isBroken ? 'broken' : 'whole', isBroken ? restMs : brokenMs, burst.hasSentinels);
    if (!burst.terminated) this.#enterMayCome.begin(lateEnterMs);
    this.#parts.swipe(burst.tracks);
  }

  #suspect(after: 'broken' | 'whole', forMs: number, hasSentinels: boolean): void {
    Object.assign(this.#wake, { after, hasSentinels });
    this.#wake.lasts.begin(forMs);
  }

  #dropRow(): void {
    this.#time.end(this.#rowTimer);
    this.#row = undefined;
  }
}
