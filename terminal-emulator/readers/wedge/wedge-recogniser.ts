import { startSentinels } from '../msr/split-tracks.ts';
import { WedgeBurst } from './burst.ts';
import {
  beginsTrack,
  CharacterRun,
  type CharacterRunKind,
  type CharacterRunVerdict,
  isCharacterKey,
  type TimedKey,
} from './character-run.ts';
import { TimeWindow, TypingClock, type TypingClockOptions } from './typing-clock.ts';
import type { WedgeSettings } from './wedge-settings.ts';

interface WedgeParts extends TypingClockOptions {
  readonly settings: WedgeSettings;
  /** Called with each key that belongs to no swipe. The keys are unchanged and in order. */
  key(piece: string): void;
  /**
   * Called with the characters of a swipe. They look like the characters from a serial reader, unless the system's
   * keyboard layout is not the US layout.
   */
  swipe(tracks: string): void;
  /** Whether the screen asks for a card number. If so, a run that has only digits counts as keys. */
  takesNumber?(): boolean;
}

type Wait = ReturnType<TypingClock['wait']>;

/** A swipe that is being typed. */
interface Swipe {
  readonly burst: WedgeBurst;
  /** Whether the reader has paused within a track. */
  isStalled: boolean;
  /** If no other character comes in time, this timer ends the swipe or marks the swipe as stalled. */
  timer: Wait | undefined;
}

/** The facts about a swipe whose rest may still come. */
interface BegunSwipe {
  /**
   * How the swipe ended: broken off, or whole. A swipe in which the reader has paused within a track counts as
   * broken.
   */
  readonly end: 'broken' | 'whole';
  readonly hasSentinels: boolean;
}

/**
 * The maximum time, in ms, for which keys are held back. It is a little longer than the pauses of a reader, which are
 * at most 60 ms.
 */
const pauseMs = 70;
/** The longest pause, in ms, between two keys of a run that could be a track. No person types a whole run that fast. */
const gapMs = 100;
/**
 * A burst that pauses within a track for this long, in ms, counts as broken. A slow network can cause shorter pauses.
 */
const brokenMs = 500;
/**
 * The time, in ms, in which the rest of a broken burst may come. Characters that come fast within this time count as
 * the rest.
 */
const restMs = 1_000;
/** The maximum time, in ms, from the tracks of a swipe to the Enter that the reader types after them. */
const lateEnterMs = 500;

/**
 * Distinguishes the characters of a keyboard-wedge reader from the keys of a person. Such a reader is a keyboard: it
 * types a card's tracks and Enter into the window with the focus. With a US layout it types `%B…?;…?`. With another
 * layout it types other characters.
 *
 * Characters without a pause between them form a run. The run is held back until a pause, or until it is decided
 * whether the run is a swipe (B163, {@link CharacterRun.judge}). If the run consists of keys, they are passed on in
 * order. If the run is a swipe, whole or broken, no character of the swipe is ever passed on as a key.
 *
 * A key can belong to one of three things, which are tried in this order: the run that is not decided, the swipe that
 * is being typed, the Enter after the last swipe. If the key belongs to none of these, it begins a new run or is passed
 * on at once. If the reader has paused within a swipe, only the end of a line is still added to this swipe. Any other
 * character begins a run, which may turn out to be the rest of the swipe.
 */
export class WedgeRecogniser {
  #parts: WedgeParts;
  #clock: TypingClock;
  /** The run that is not decided yet: its characters are held back. */
  #run: CharacterRun | undefined;
  #runTimer: Wait | undefined;
  /** The swipe that is being typed. */
  #swipe: Swipe | undefined;
  /** While this window is open, a run may be the rest of `#begunSwipe`. */
  #restWindow: TimeWindow;
  #begunSwipe: BegunSwipe = { end: 'whole', hasSentinels: false };
  /** While this window is open, an Enter belongs to the last swipe. */
  #enterWindow: TimeWindow;
  /** The key that is held down. If the same key comes again before `untilMs`, it counts as a repetition of this key. */
  #heldKey = { text: '', untilMs: Number.NEGATIVE_INFINITY };

  constructor(parts: WedgeParts) {
    this.#parts = parts;
    this.#clock = new TypingClock(parts);
    this.#restWindow = new TimeWindow(this.#clock);
    this.#enterWindow = new TimeWindow(this.#clock);
  }

  /** Handles one key: a character, or the name or escape sequence of another key or of the mouse. */
  feed(text: string): void {
    const atMs = this.#clock.now();
    if (!this.#run) {
      if (!isCharacterKey(text) || this.#repeatsHeldKey(text, atMs)) return this.#parts.key(text);
      if (this.#continuesSwipe(text) || this.#isLateEnter(text)) return;
      const kind = this.#kindOfRunFrom(text);
      if (!kind) return this.#parts.key(text);
      this.#run = new CharacterRun(kind);
    }
    this.#addToRun(this.#run, { text, atMs });
  }

  /**
   * Passes on the held characters as keys. This function is called before an action that needs all earlier characters
   * to be typed.
   */
  settle(): void {
    if (this.#run) this.#passOn(this.#run);
  }

  /** Whether the next characters belong to a swipe. */
  get swiping(): boolean {
    return this.#swipe !== undefined;
  }

  /** Drops the characters that are held back. */
  close(): void {
    this.#endRun();
    this.#clock.cancel(this.#swipe?.timer);
    this.#swipe = undefined;
    this.#restWindow.close();
    this.#enterWindow.close();
  }

  #repeatsHeldKey(text: string, atMs: number): boolean {
    if (text !== this.#heldKey.text || atMs >= this.#heldKey.untilMs) return false;
    this.#heldKey.untilMs = atMs + pauseMs;
    return true;
  }

  #continuesSwipe(text: string): boolean {
    const swipe = this.#swipe;
    if (!swipe || (swipe.isStalled && !/[\r\n\t]/.test(text))) return false;
    if (swipe.burst.accepts(text)) {
      this.#addToSwipe(swipe, [text]);
      return true;
    }
    this.#endSwipe(swipe);
    return false;
  }

  #isLateEnter(text: string): boolean {
    if (!/[\r\n]/.test(text) || !this.#enterWindow.isOpen) return false;
    this.#enterWindow.close();
    return true;
  }

  /**
   * Says which kind of run can begin with this text; undefined if no run can. No track and no number begins with a
   * space or the end of a line.
   */
  #kindOfRunFrom(text: string): CharacterRunKind | undefined {
    if (beginsTrack(text, this.#parts.settings)) return 'track';
    if (text < ' ') return undefined;
    if (this.#restWindow.isOpen) return 'rest';
    return text === ' ' ? undefined : 'other';
  }

  #addToRun(run: CharacterRun, key: TimedKey): void {
    // If the swipe's tracks have sentinels, a start sentinel begins a new track. So the start sentinel does not
    // belong to the rest of the swipe.
    if (run.kind === 'rest' && this.#begunSwipe.hasSentinels && startSentinels.has(key.text)) {
      this.#passOn(run);
      this.#run = new CharacterRun('track');
      return this.#addToRun(this.#run, key);
    }
    run.append(key);
    if (!isCharacterKey(key.text)) return;
    const verdict = run.judge({
      settings: this.#parts.settings,
      after: this.#begunSwipe.end,
      stalled: this.#swipe?.isStalled ?? false,
      takesNumber: this.#parts.takesNumber?.() ?? false,
    });
    if (verdict === 'keys') return this.#passOn(run);
    if (verdict !== 'wait') return this.#takeAsSwipe(run, verdict);
    this.#clock.cancel(this.#runTimer);
    this.#runTimer = this.#clock.wait(run.kind === 'other' ? pauseMs : gapMs, () => this.#passOn(run));
  }

  /** Passes on a run as keys, because a person typed it. */
  #passOn(run: CharacterRun): void {
    this.#endRun();
    // The run may be the beginning of a swipe in which the reader has paused. In that case, the rest of the swipe is
    // still to come.
    if (run.kind === 'track') this.#expectRest({ end: 'broken', hasSentinels: true }, restMs);
    const last = run.keys.at(-1);
    if (last && run.isHeldKey) this.#heldKey = { text: last.text, untilMs: last.atMs + pauseMs };
    for (const { text } of run.keys) this.#parts.key(text);
  }

  /** Treats a run as a swipe. Passes on the keys before the tracks, and all keys that are not characters. */
  #takeAsSwipe(run: CharacterRun, { keysBefore, tracksFrom }: Exclude<CharacterRunVerdict, string>): void {
    this.#endRun();
    const tracks: string[] = [];
    let characters = 0;
    for (const { text } of run.keys) {
      const at = isCharacterKey(text) ? characters++ : -1;
      if (at < keysBefore) this.#parts.key(text);
      else if (at >= tracksFrom) tracks.push(text);
    }
    this.#swipe ??= this.#newSwipe(run.kind, tracks);
    this.#addToSwipe(this.#swipe, tracks);
  }

  #newSwipe(kind: CharacterRunKind, [first = '']: readonly string[]): Swipe {
    // The rest of a broken burst has an end sentinel if the burst has sentinels. After a whole burst, the rest is a
    // track without sentinels.
    const { end, hasSentinels } = this.#begunSwipe;
    const withSentinels = kind === 'rest' ? end === 'broken' && hasSentinels : startSentinels.has(first);
    const burst = new WedgeBurst(this.#parts.settings, withSentinels);
    return { burst, isStalled: false, timer: undefined };
  }

  #addToSwipe(swipe: Swipe, characters: readonly string[]): void {
    for (const character of characters) swipe.burst.append(character);
    swipe.isStalled = false;
    this.#clock.cancel(swipe.timer);
    swipe.timer = this.#clock.wait(gapMs, () => this.#swipePaused(swipe));
  }

  #swipePaused(swipe: Swipe): void {
    const { burst } = swipe;
    if (burst.complete) return this.#endSwipe(swipe);
    swipe.isStalled = true;
    this.#expectRest({ end: 'broken', hasSentinels: burst.hasSentinels }, brokenMs + restMs);
    swipe.timer = this.#clock.wait(brokenMs - gapMs, () => this.#endSwipe(swipe));
  }

  #endSwipe({ burst, timer }: Swipe): void {
    this.#clock.cancel(timer);
    this.#swipe = undefined;
    const { hasSentinels } = burst;
    // If the tracks have no sentinels, nothing shows whether the burst broke off.
    const isBroken = hasSentinels && !burst.complete;
    this.#expectRest({ end: isBroken ? 'broken' : 'whole', hasSentinels }, isBroken ? restMs : brokenMs);
    if (!burst.terminated) this.#enterWindow.open(lateEnterMs);
    this.#parts.swipe(burst.tracks);
  }

  #expectRest(swipe: BegunSwipe, forMs: number): void {
    this.#begunSwipe = swipe;
    this.#restWindow.open(forMs);
  }

  #endRun(): void {
    this.#clock.cancel(this.#runTimer);
    this.#run = undefined;
  }
}
