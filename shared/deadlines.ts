import type { Clock, TimerHandle } from './clock.ts';
import type { EndInFlight } from './in-flight.ts';
import type { TimeWaits } from './skipping/time-waits.ts';

/**
 * The wait after the first failure, in milliseconds. The wait doubles with each further failure, up to the maximum
 * (B68).
 */
const firstRetryMs = 1_000;
const longestRetryMs = 30_000;

/** Returns the wait after the failure with this number; the first failure is number 1. */
export function computeRetryBackoffMs(failures: number): number {
  return Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 10));
}

/**
 * Returns the milliseconds until a stored moment. The result is never more than the full wait `fullMs`, even if the
 * wall clock was set back meanwhile (B122).
 */
export function computeMsUntil(clock: Clock, atMs: number, fullMs: number): number {
  return Math.min(fullMs, Math.max(0, atMs - clock.now()));
}

/**
 * Returns how much of a period is left, in milliseconds. The period began at a stored moment. The result is right even
 * if the wall clock was changed meanwhile (B122).
 */
export function computeMsLeft(clock: Clock, beganMs: number, fullMs: number): number {
  return Math.max(0, fullMs - Math.max(0, clock.elapsedSince(beganMs)));
}

interface Deadline {
  /** The moment when the work is due, on the monotonic clock. */
  due: number;
  failures: number;
  timer: TimerHandle;
  /** Call this when a clock that advances by itself no longer has to wait for the work. */
  awaited?: EndInFlight;
}

interface DeadlineOptions {
  /** Does the work that is due. If it returns a promise that rejects, the work is repeated later. */
  run: (id: string) => unknown;
  /** Called after every failure. `failures` is 1 after the first failure of a deadline. */
  failed?: (id: string, error: unknown, failures: number) => void;
  /** Present if a clock that moves by itself may have to wait for the work. */
  timeWaits?: TimeWaits;
}

/**
 * Does work at its deadline, on the monotonic clock, and repeats the work until it succeeds. The deadlines are kept
 * only in memory. The owner of this object stores each deadline elsewhere, and sets it again when the process starts.
 * So a deadline outlives the process. When the work begins, it first has to check the stored state, because that state
 * may have changed meanwhile.
 */
export class DeadlineScheduler {
  readonly #clock: Clock;
  readonly #run: DeadlineOptions['run'];
  readonly #failed: NonNullable<DeadlineOptions['failed']>;
  readonly #timeWaits: TimeWaits | undefined;
  readonly #deadlines = new Map<string, Deadline>();
  #stopped = false;

  constructor(clock: Clock, { run, failed, timeWaits }: DeadlineOptions) {
    this.#clock = clock;
    this.#run = run;
    this.#failed = failed ?? (() => {});
    this.#timeWaits = timeWaits;
  }

  /**
   * Does the work for `id` after `delayMs`, and no earlier. A new deadline replaces an earlier deadline of the same
   * `id`.
   */
  set(id: string, delayMs: number): void {
    this.clear(id);
    if (this.#stopped) return;
    const deadline: Deadline = {
      due: this.#clock.monotonic() + delayMs,
      failures: 0,
      timer: undefined,
    };
    this.#deadlines.set(id, deadline);
    this.#arm(id, deadline);
  }

  /** Does the work for `id` at once, and again later if it fails. */
  doNow(id: string): void {
    this.clear(id);
    if (this.#stopped) return;
    const deadline: Deadline = { due: this.#clock.monotonic(), failures: 0, timer: undefined };
    this.#deadlines.set(id, deadline);
    this.#fire(id, deadline);
  }

  /** Whether `id` has a deadline that was not cleared and whose work has not succeeded yet. */
  has(id: string): boolean {
    return this.#deadlines.has(id);
  }

  /** Whether the deadline of `id` has passed. If so, its work is in progress or will be repeated. */
  isDue(id: string): boolean {
    const deadline = this.#deadlines.get(id);
    return deadline !== undefined && this.#clock.monotonic() >= deadline.due;
  }

  clear(id: string): void {
    const deadline = this.#deadlines.get(id);
    this.#clock.clearTimeout(deadline?.timer);
    deadline?.awaited?.();
    this.#deadlines.delete(id);
  }

  /** Forgets every deadline and accepts no further deadlines. The work is left to the next process. */
  stop(): void {
    this.#stopped = true;
    for (const id of [...this.#deadlines.keys()]) this.clear(id);
  }

  #arm(id: string, deadline: Deadline, delayMs = Math.max(0, deadline.due - this.#clock.monotonic())): void {
    deadline.awaited = this.#timeWaits?.due(delayMs);
    deadline.timer = this.#clock.setTimeout(() => {
      deadline.awaited?.();
      if (this.#deadlines.get(id) !== deadline) return;
      // Node's timers and its clock disagree by up to a millisecond, so a timer can be early.
      if (this.#clock.monotonic() < deadline.due) this.#arm(id, deadline);
      else this.#fire(id, deadline);
    }, delayMs);
  }

  #fire(id: string, deadline: Deadline): void {
    const met = () => {
      if (this.#deadlines.get(id) === deadline) this.#deadlines.delete(id);
    };
    const outcome = this.#run(id);
    if (outcome instanceof Promise)
      outcome.then(met, (error: unknown) => this.#retryLater(id, deadline, error));
    else met();
  }

  #retryLater(id: string, deadline: Deadline, error: unknown): void {
    if (this.#deadlines.get(id) !== deadline) return;
    deadline.failures++;
    this.#failed(id, error, deadline.failures);
    this.#arm(id, deadline, computeRetryBackoffMs(deadline.failures));
  }
}
