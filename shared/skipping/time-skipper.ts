import type { Journal } from '../journal.ts';
import type { NextTimeStep } from './next-step.ts';
import { type TimeStepPatience, TimeStepPlanner, type TimeStepPlannerParts } from './time-step-planner.ts';

interface SkippingOptions extends Partial<TimeStepPatience> {
  /**
   * For this many virtual milliseconds after a client's request, virtual time also moves to timers that no request
   * waits for.
   */
  readonly settleMs?: number;
}

interface SkippingParts extends TimeStepPlannerParts {
  readonly journal: Journal;
}

const defaults = { patienceMs: 50, lastChanceMs: 5_000, settleMs: 0 };

/**
 * If requests that only read have kept time stopped for this many real milliseconds, a warning in the journal names the
 * request.
 */
const warnAfterReadingMs = 5_000;

/** Moves virtual time by itself as long as something waits for time to pass (B270). */
export class TimeSkipper {
  readonly #parts: SkippingParts;
  readonly #stepper: TimeStepPlanner;
  readonly #settleMs: number;
  readonly #over = new AbortController();
  readonly #stopListening: () => void;
  /** Up to this moment of virtual time, time also moves to timers that no request waits for. */
  #settleUntilMs = Number.NEGATIVE_INFINITY;
  #outsideSeen = 0;
  /** The moment when time last moved, on the real clock. */
  #movedMs: number;
  #warned = false;

  constructor(parts: SkippingParts, options: SkippingOptions = {}) {
    const { settleMs, ...patience } = { ...defaults, ...options };
    this.#parts = parts;
    this.#settleMs = settleMs;
    this.#stepper = new TimeStepPlanner(parts, patience);
    this.#movedMs = parts.realClock.monotonic();
    parts.waits.skipping = true;
    this.#stopListening = parts.waits.activity.listen(() => this.#warnOfReader());
  }

  /** Moves time whenever that is allowed, until {@link stop} is called. */
  async run(): Promise<void> {
    const { signal } = this.#over;
    const { clock, realClock } = this.#parts;
    while (!signal.aborted) {
      await clock.inFlight.free();
      if (signal.aborted) return;
      const step = await this.#checkPrograms(this.#next());
      if (signal.aborted) return;
      if ('toMs' in step) {
        await clock.moveTo(step.toMs);
        this.#movedMs = realClock.monotonic();
        this.#warned = false;
      } else await this.#stepper.standStill(step, signal);
    }
  }

  stop(): void {
    this.#over.abort();
    this.#stopListening();
  }

  /**
   * Before time moves, checks whether some program is already acting but has sent no request yet. Returns the next step
   * after that check.
   */
  async #checkPrograms(step: NextTimeStep): Promise<NextTimeStep> {
    const { clock, waits } = this.#parts;
    if (!('toMs' in step) || !waits.isWatching) return step;
    if (waits.isActing()) waits.activity.seen();
    // The program that is acting may have sent a request before the check, and this request may not have arrived yet.
    await clock.inFlight.free();
    return this.#next();
  }

  #next(): NextTimeStep {
    const { clock, waits } = this.#parts;
    if (waits.activity.outside !== this.#outsideSeen) {
      this.#outsideSeen = waits.activity.outside;
      this.#settleUntilMs = clock.monotonic() + this.#settleMs;
    }
    const settling = this.#settleMs > 0 ? waits.dueUntil(this.#settleUntilMs) : [];
    const all = [...waits.list(), ...settling.map((untilMs) => ({ by: 'what is due', untilMs }))];
    return this.#stepper.next(all, waits.asked().length > 0);
  }

  /** Warns if a client that only reads keeps time stopped. Warns only once until time moves again. */
  #warnOfReader(): void {
    const { realClock, journal, waits } = this.#parts;
    const { reader, changedMs } = waits.activity;
    if (reader === undefined || this.#warned) return;
    if (realClock.monotonic() - Math.max(changedMs, this.#movedMs) < warnAfterReadingMs) return;
    if (waits.list().length === 0 || waits.asked().length > 0 || waits.holds.list().length > 0) return;
    this.#warned = true;
    const message = `virtual time has stood still for ${warnAfterReadingMs / 1_000} real seconds because a client keeps calling ${reader}: between two calls, let that client wait with POST /control/clock/wait`;
    journal.add('warning', { message });
  }
}
