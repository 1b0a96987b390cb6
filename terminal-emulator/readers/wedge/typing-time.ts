import type { Clock, TimerHandle } from '../../../shared/clock.ts';

/** A wait is made of so many parts, */
const parts = 5;
/** … of which so many may come late and are waited again: on a machine that is always late, a wait still ends. */
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
  /** Calls back when all has been read that has come by now; timers run before that. */
  afterReading?(run: () => void): void;
}

/**
 * Time as it passes for whoever types. A program that is held up reads late what came in time, so the time in which it was does
 * not count, and a wait ends only once all has been read that came by its end (B220).
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

  /** In milliseconds; what passes while nothing is waited for counts as it passes. */
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

  /** Ends a wait in vain. */
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

  /** Since the first of all waits was due, each moment once. */
  #countHeldUp(nowMs: number): void {
    let fromMs = nowMs;
    for (const { dueMs } of this.#waits) fromMs = Math.min(fromMs, dueMs);
    fromMs = Math.max(fromMs, this.#countedUntilMs);
    if (fromMs >= nowMs) return;
    this.#heldUpMs += nowMs - fromMs;
    this.#countedUntilMs = nowMs;
  }
}

/** Whether so long has not passed since it last began. */
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
