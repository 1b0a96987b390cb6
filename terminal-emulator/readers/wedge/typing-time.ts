import type { Clock, TimerHandle } from '../../../shared/clock.ts';

/** The number of parts of a wait. */
const parts = 5;
/** The most late parts that are waited again, so that a wait ends even on a machine that is always late. */
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

export interface TypingTimeParts {
  readonly clock: Clock;
  /** Calls `run` when all input that has come by now has been read. Timers run before that. */
  afterReading?(run: () => void): void;
}

/**
 * Time as it passes for the person or reader that types. A program that is held up reads input late that came in time. So the
 * time in which it was held up does not count, and a wait ends only when all input that came by its end has been read (B220).
 */
export class TypingTime {
  readonly #clock: Clock;
  readonly #afterReading: (run: () => void) => void;
  readonly #waits = new Set<Wait>();
  #heldUpMs = 0;
  #countedUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ clock, afterReading }: TypingTimeParts) {
    this.#clock = clock;
    this.#afterReading = afterReading ?? ((run) => void clock.setTimeout(run, 0));
  }

  /** In milliseconds. Without a wait under way all time counts. */
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

  /** Ends a wait before its time, without calling back. */
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

  /** Counts the time since the first wait was due as held up, each moment once. */
  #countHeldUp(nowMs: number): void {
    let fromMs = nowMs;
    for (const { dueMs } of this.#waits) fromMs = Math.min(fromMs, dueMs);
    fromMs = Math.max(fromMs, this.#countedUntilMs);
    if (fromMs >= nowMs) return;
    this.#heldUpMs += nowMs - fromMs;
    this.#countedUntilMs = nowMs;
  }
}

/** A span of time, which lasts until its length has passed since it last began. */
export class Span {
  readonly #time: TypingTime;
  #wait: ReturnType<TypingTime['wait']> | undefined;

  constructor(time: TypingTime) {
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
