import { type Clock, delay } from '../clock.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import { decideNextTimeStep, type NextTimeStep, type TimeWait } from './next-step.ts';
import type { VirtualTimeWaits } from './time-waits.ts';

export interface TimeStepPlannerParts {
  readonly clock: VirtualClock;
  readonly realClock: Clock;
  readonly waits: VirtualTimeWaits;
}

export interface TimeStepPatience {
  /**
   * Time moves only after nothing has happened for this many real milliseconds. The number may be 0 only if all
   * programs that act are counted as in flight.
   */
  readonly patienceMs: number;
  /** This many real milliseconds pass before a wait fails. So a program that is slow to begin can still act. */
  readonly lastChanceMs: number;
}

/** Collects the facts for {@link decideNextTimeStep}. If virtual time must stand still, lets real time pass. */
export class TimeStepPlanner {
  readonly #parts: TimeStepPlannerParts;
  readonly #patience: TimeStepPatience;
  /** The waits that were given a last chance, each with the moment of the real clock when that chance is over. */
  readonly #chances = new WeakMap<TimeWait, number>();

  constructor(parts: TimeStepPlannerParts, patience: TimeStepPatience) {
    this.#parts = parts;
    this.#patience = patience;
  }

  /** Returns the next step of time. Call this only when nothing is in flight. */
  next(waits: readonly TimeWait[], personIsAsked: boolean): NextTimeStep {
    const { clock, realClock, waits: all } = this.#parts;
    return decideNextTimeStep({
      nowMs: clock.monotonic(),
      dueMs: clock.dueMs,
      waits,
      personIsAsked,
      realMs: realClock.monotonic(),
      changedMs: all.activity.lastMs,
      ...this.#patience,
      chances: this.#chances,
    });
  }

  /**
   * Lets real time pass until the moment that `step` names, if it names one, or until something happens. Resolves to
   * true if something happened.
   */
  async standStill(step: Exclude<NextTimeStep, { toMs: number }>, signal?: AbortSignal): Promise<boolean> {
    const { realClock, waits } = this.#parts;
    const enough = new AbortController();
    const over = signal ? AbortSignal.any([enough.signal, signal]) : enough.signal;
    let happened = false;
    const stop = waits.onChange(() => {
      happened = true;
      enough.abort();
    });
    if (step.stands !== 'patience') await new Promise((resolve) => over.addEventListener('abort', resolve));
    else {
      const { lastChance, untilRealMs } = step;
      if (lastChance && !this.#chances.has(lastChance)) this.#chances.set(lastChance, untilRealMs);
      await delay(realClock, Math.max(0, untilRealMs - realClock.monotonic()), over).catch(() => {});
    }
    stop();
    return happened;
  }
}
