import type { Clock, TimerHandle } from './clock.ts';
import { InFlightCounter } from './in-flight.ts';
import { WallClock } from './wall-clock.ts';

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * A clock whose time moves only when code moves it. Time moves in steps: each timer runs at its own moment, and all
 * work that the timer causes (promises, messages on sockets, writes) is finished before the next timer runs. So a chain
 * of delays takes the same virtual time as it would take in real time.
 *
 * @example const clock = new VirtualClock({ startMs: Date.UTC(2026, 0, 1) }); clock.setTimeout(() =>
 * console.log('rings'), 60_000); await clock.advance(150_000);
 *
 */
export class VirtualClock implements Clock {
  readonly virtual = true;
  readonly inFlight = new InFlightCounter();
  /** The monotonic clock. */
  #now: number;
  /** How far the wall clock was set forward, in milliseconds. */
  #aheadMs = 0;
  #wallClock: WallClock;
  #order = 0;
  #timers = new Set<Timer>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ startMs }: { startMs: number }) {
    this.#now = startMs;
    this.#wallClock = new WallClock(
      () => this.#now + this.#aheadMs,
      () => this.#now,
    );
  }

  now(): number {
    return this.#wallClock.now();
  }

  monotonic(): number {
    return this.#now;
  }

  elapsedSince(momentMs: number): number {
    return this.#wallClock.elapsedSince(momentMs);
  }

  /** Sets the wall clock forward, or back if `byMs` is negative, as can happen on a real machine. No time passes. */
  setWallClock(byMs: number): void {
    this.#aheadMs += byMs;
  }

  setTimeout(run: () => void, delayMs: number): TimerHandle {
    const timer: Timer = { due: this.#now + Math.max(0, delayMs), order: this.#order++, run };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: TimerHandle): void {
    this.#timers.delete(timer as Timer);
  }

  /**
   * Sets this clock to the time at which a former process's clock stopped, if that time is later than this clock's
   * time. No timer runs.
   */
  startAt(timeMs: number): void {
    this.#now = Math.max(this.#now, timeMs - this.#aheadMs);
  }

  /**
   * Moves time forward by `byMs`, and runs the timers that are due by then. A call waits until earlier calls are done.
   */
  advance(byMs: number): Promise<void> {
    return this.#queued(() => this.#stepTo(this.#now + byMs));
  }

  /** Moves time forward to `timeMs`, in epoch milliseconds. Does nothing if that moment has passed. */
  advanceTo(timeMs: number): Promise<void> {
    return this.#queued(() => this.#stepTo(timeMs - this.#aheadMs));
  }

  /** Moves time forward to a moment of the monotonic clock. */
  moveTo(monotonicMs: number): Promise<void> {
    return this.#queued(() => this.#stepTo(monotonicMs));
  }

  /** The moment when the next timer is due, on the monotonic clock. */
  get dueMs(): number | undefined {
    return this.#next()?.due;
  }

  /** Returns the moment when the next timer is due, in epoch milliseconds, or undefined if there is no timer. */
  nextDue(): number | undefined {
    const next = this.#next();
    return next && next.due + this.#aheadMs;
  }

  #queued(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #stepTo(target: number): Promise<void> {
    await this.inFlight.free();
    for (let timer = this.#next(); timer && timer.due <= target; timer = this.#next()) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.due);
      timer.run();
      await this.inFlight.free();
    }
    this.#now = Math.max(this.#now, target);
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (!first || timer.due < first.due || (timer.due === first.due && timer.order < first.order))
        first = timer;
    }
    return first;
  }
}
