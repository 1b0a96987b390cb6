import type { Clock, TimerHandle } from '../../../shared/clock.ts';

/** The number of equal parts into which a wait is divided. */
const parts = 5;
/** At most this many late parts of a wait are repeated, so that a wait ends even on a machine that is always late. */
const mostLateParts = 10;

interface Wait {
  readonly partMs: number;
  readonly run: () => void;
  left: number;
  late: number;
  dueMs: number;
  handle: TimerHandle;
  ended: boolean;
}

export interface TypingClockParts {
  readonly clock: Clock;
  /** Calls `run` once all input that has arrived by now has been read. A plain timer would run before that. */
  afterReading?(run: () => void): void;
}

/**
 * Time as the person or the reader that types experiences it. If the program is held up, it reads input late that came
 * in time. So time in which the program is held up does not count, and a wait ends only after the program has read all
 * input that arrived before the wait's end (B220).
 */
export class TypingClock {
  readonly #clock: Clock;
  readonly #afterReading: (run: () => void) => void;
  readonly #waits = new Set<Wait>();
  #heldUpMs = 0;
  #countedUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ clock, afterReading }: TypingClockParts) {
    this.#clock = clock;
    this.#afterReading = afterReading ?? ((run) => void clock.setTimeout(run, 0));
  }

  /**
   * Gives the time in milliseconds. Outside of a wait, all time counts, even time for which the program stood still.
   * During a wait, such time does not count.
   */
  now(): number {
    const nowMs = this.#clock.monotonic();
    this.#countHeldUp(nowMs);
    return nowMs - this.#heldUpMs;
  }

  wait(ms: number, run: () => void): Wait {
    const wait: Wait = {
      partMs: ms / parts,
      run,
      left: parts,
      late: 0,
      dueMs: 0,
      handle: undefined,
      ended: false,
    };
    this.#waits.add(wait);
    this.#waitPart(wait);
    return wait;
  }

  /** Ends a wait early, without calling its function. */
  end(wait: Wait | undefined): void {
    if (!wait) return;
    wait.ended = true;
    this.#waits.delete(wait);
    this.#clock.clearTimeout(wait.handle);
  }

  #waitPart(wait: Wait): void {
    wait.dueMs = this.#clock.monotonic() + wait.partMs;
    wait.handle = this.#clock.setTimeout(() => this.#partEnded(wait), wait.partMs);
  }

  #partEnded(wait: Wait): void {
    const nowMs = this.#clock.monotonic();
    this.#countHeldUp(nowMs);
    const heldUp = nowMs - wait.dueMs > wait.partMs && wait.late < mostLateParts;
    if (heldUp) wait.late++;
    else wait.left--;
    if (wait.left > 0) return this.#waitPart(wait);
    this.#waits.delete(wait);
    this.#afterReading(() => {
      if (!wait.ended) wait.run();
    });
  }

  /**
   * If a wait should have ended already, the program is held up. Adds the time since that wait was due to the time held
   * up, but counts no time twice.
   */
  #countHeldUp(nowMs: number): void {
    let fromMs = nowMs;
    for (const { dueMs } of this.#waits) fromMs = Math.min(fromMs, dueMs);
    fromMs = Math.max(fromMs, this.#countedUntilMs);
    if (fromMs >= nowMs) return;
    this.#heldUpMs += nowMs - fromMs;
    this.#countedUntilMs = nowMs;
  }
}

/** A span of time. It can begin again and again, each time with another length. */
export class TimeWindow {
  readonly #time: TypingClock;
  #wait: ReturnType<TypingClock['wait']> | undefined;

  constructor(time: TypingClock) {
    this.#time = time;
  }

  get lasts(): boolean {
    return this.#wait !== undefined;
  }

  begin(ms: number): void {
    this.end();
    this.#wait = this.#time.wait(ms, () => {
      this.#wait = undefined;
    });
  }

  end(): void {
    this.#time.end(this.#wait);
    this.#wait = undefined;
  }
}
