import type { Clock, TimerHandle } from '../../../shared/clock.ts';
import { maxLateParts, waitPartCount } from '../stall-tolerant-clock.ts';

interface Wait {
  readonly partMs: number;
  readonly run: () => void;
  partsLeft: number;
  lateParts: number;
  partDueMs: number;
  handle: TimerHandle;
  isCancelled: boolean;
}

export interface TypingClockOptions {
  readonly clock: Clock;
  /**
   * Waits until the program has read all input that has arrived so far, and then calls `run`. A plain timer would call
   * `run` before the input is read.
   */
  afterReading?(run: () => void): void;
}

/**
 * Measures time as the typing person or the typing reader experiences it (B220). If the program is held up, it reads
 * input late, although the input arrived in time. So this clock differs from a stall-tolerant clock in two points.
 * During a wait, the clock does not advance while the program is held up. A wait ends only after the program has read
 * all input that arrived before the end of the wait.
 */
export class TypingClock {
  readonly #clock: Clock;
  readonly #afterReading: (run: () => void) => void;
  readonly #waits = new Set<Wait>();
  /** The time in which the program was held up during waits. */
  #heldUpMs = 0;
  /** `#heldUpMs` is complete up to this time. */
  #countedUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ clock, afterReading }: TypingClockOptions) {
    this.#clock = clock;
    this.#afterReading = afterReading ?? ((run) => void clock.setTimeout(run, 0));
  }

  /** Gives the time in milliseconds, without the time in which the program was held up during waits. */
  now(): number {
    const nowMs = this.#clock.monotonic();
    this.#countHeldUp(nowMs);
    return nowMs - this.#heldUpMs;
  }

  /** Calls `run` after `ms`, unless the wait is cancelled before that. */
  wait(ms: number, run: () => void): Wait {
    const wait: Wait = {
      partMs: ms / waitPartCount,
      run,
      partsLeft: waitPartCount,
      lateParts: 0,
      partDueMs: 0,
      handle: undefined,
      isCancelled: false,
    };
    this.#waits.add(wait);
    this.#waitPart(wait);
    return wait;
  }

  cancel(wait: Wait | undefined): void {
    if (!wait) return;
    wait.isCancelled = true;
    this.#waits.delete(wait);
    this.#clock.clearTimeout(wait.handle);
  }

  #waitPart(wait: Wait): void {
    wait.partDueMs = this.#clock.monotonic() + wait.partMs;
    wait.handle = this.#clock.setTimeout(() => this.#partEnded(wait), wait.partMs);
  }

  #partEnded(wait: Wait): void {
    const nowMs = this.#clock.monotonic();
    this.#countHeldUp(nowMs);
    const isLate = nowMs - wait.partDueMs > wait.partMs && wait.lateParts < maxLateParts;
    if (isLate) wait.lateParts++;
    else wait.partsLeft--;
    if (wait.partsLeft > 0) return this.#waitPart(wait);
    this.#waits.delete(wait);
    this.#afterReading(() => {
      if (!wait.isCancelled) wait.run();
    });
  }

  /**
   * If a part of a wait is overdue, the program has been held up since that part was due. This function adds this time
   * to `#heldUpMs`, but never counts the same time twice.
   */
  #countHeldUp(nowMs: number): void {
    let fromMs = nowMs;
    for (const { partDueMs } of this.#waits) fromMs = Math.min(fromMs, partDueMs);
    fromMs = Math.max(fromMs, this.#countedUntilMs);
    if (fromMs >= nowMs) return;
    this.#heldUpMs += nowMs - fromMs;
    this.#countedUntilMs = nowMs;
  }
}

/**
 * A window of time in which a certain input may come. The window closes when its time has passed. It can be opened
 * again with another length.
 */
export class TimeWindow {
  readonly #clock: TypingClock;
  #wait: Wait | undefined;

  constructor(clock: TypingClock) {
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#wait !== undefined;
  }

  open(ms: number): void {
    this.close();
    this.#wait = this.#clock.wait(ms, () => {
      this.#wait = undefined;
    });
  }

  close(): void {
    this.#clock.cancel(this.#wait);
    this.#wait = undefined;
  }
}
