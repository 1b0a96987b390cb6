import { type Clock, delay } from '../../shared/clock.ts';
import type { TimeWait } from '../../shared/skipping/next-step.ts';
import {
  type TimeStepPatience,
  TimeStepPlanner,
  type TimeStepPlannerParts,
} from '../../shared/skipping/time-step-planner.ts';

/**
 * The time in which a scenario waits: virtual time, which the scenario itself moves, or real time, which passes by
 * itself.
 */
export interface ScenarioClock {
  readonly virtual: boolean;
  now(): number;
  /** Resolves when everything that can happen at the present time has happened. */
  settled(): Promise<void>;
  /**
   * Resolves when something has changed, when `untilMs` is reached, or after one step of time. If the wait fails at
   * `untilMs`, the caller passes `failing`, an object that identifies the wait.
   */
  step(untilMs: number, failing: object | undefined): Promise<void>;
}

/**
 * Steps a virtual clock from timer to timer while a scenario waits. The rule for the next step is {@link nextStep}.
 */
export function makeVirtualScenarioClock(
  parts: TimeStepPlannerParts,
  options: Partial<TimeStepPatience> & {
    /** Returns the real milliseconds that a step of virtual time takes, for people who watch. */
    showMs?: (virtualMs: number) => number;
  },
): ScenarioClock {
  const { clock, realClock } = parts;
  const { patienceMs = 0, lastChanceMs = 0, showMs } = options;
  const stepper = new TimeStepPlanner(parts, { patienceMs, lastChanceMs });
  /**
   * For each wait that may fail, the object that represents the wait in all steps. The {@link TimeStepPlanner}
   * recognizes the wait by this object. So it knows whether the wait has already had its last chance (`lastChanceMs`).
   */
  const failures = new WeakMap<object, TimeWait>();
  const waitOf = (untilMs: number, failing: object | undefined): TimeWait => {
    const wait = { by: 'the scenario', untilMs, fails: failing !== undefined };
    const known = failing && failures.get(failing);
    if (failing && !known) failures.set(failing, wait);
    return known ?? wait;
  };
  return {
    virtual: true,
    now: () => clock.now(),
    settled: () => clock.inFlight.settled(),
    step: async (untilMs, failing) => {
      const wait = waitOf(untilMs - clock.now() + clock.monotonic(), failing);
      // Only the shoppers of the scenario act at the terminals, and at this point all of these shoppers are waiting.
      let next = stepper.next([wait], false);
      while (!('toMs' in next)) {
        if (await stepper.standStill(next)) return;
        next = stepper.next([wait], false);
      }
      if (showMs) await delay(realClock, showMs(Math.max(0, next.toMs - clock.monotonic())));
      await clock.moveTo(next.toMs);
    },
  };
}

const pollMs = 15;

/** Makes scenarios wait in real time. Such a wait checks every few milliseconds whether it is over. */
export function makeRealScenarioClock(clock: Clock): ScenarioClock {
  return {
    virtual: false,
    now: () => clock.now(),
    settled: async () => {},
    step: (untilMs) => delay(clock, Math.max(1, Math.min(pollMs, untilMs - clock.now()))),
  };
}
