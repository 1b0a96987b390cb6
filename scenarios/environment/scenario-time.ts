import { type Clock, delay } from '../../shared/clock.ts';
import type { Journal } from '../../shared/journal.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';

/** How a scenario waits: time moves at once where it is virtual, and by itself where it is real. */
export interface ScenarioTime {
  readonly virtual: boolean;
  now(): number;
  /** Resolves when everything that happens without time passing has happened. */
  settled(): Promise<void>;
  /** Something changed, or it is `untilMs`, or as far as time goes in one step. `failing` is a wait that fails at `untilMs`. */
  step(untilMs: number, failing: object | undefined): Promise<void>;
}

/** Steps a virtual clock from timer to timer. */
export function virtualTime(
  { clock, realClock, journal }: Pick<Runtime, 'realClock' | 'journal'> & { clock: VirtualClock },
  options: {
    /**
     * Real milliseconds to wait for a program outside (a point of sale under test) to act before time moves; 0 if
     * everything that acts is counted as in flight.
     */
    patienceMs?: number;
    /** The same in all for each wait, before time moves to where it fails. */
    lastChanceMs?: number;
    /** Real milliseconds per step of virtual time, for people who watch. */
    showMs?: (virtualMs: number) => number;
  },
): ScenarioTime {
  const { patienceMs = 0, lastChanceMs = 0, showMs } = options;
  /** When the last chance of a wait is over. */
  const ends = new WeakMap<object, number>();
  const lastChance = (wait: object) => {
    const now = realClock.monotonic();
    const end = ends.get(wait) ?? now + lastChanceMs;
    ends.set(wait, end);
    return Math.max(patienceMs, end - now);
  };
  return {
    virtual: true,
    now: () => clock.now(),
    settled: () => clock.inFlight.settled(),
    step: async (untilMs, failing) => {
      const due = Math.min(clock.nextDue() ?? untilMs, untilMs);
      const waitMs = failing && due === untilMs ? lastChance(failing) : patienceMs;
      if (waitMs > 0 && (await somethingHappens(journal, realClock, waitMs))) return;
      if (showMs) await delay(realClock, showMs(Math.max(0, due - clock.now())));
      await clock.advanceTo(due);
    },
  };
}

const pollMs = 15;

/** Real time: looks again every few milliseconds. */
export function realTime(clock: Clock): ScenarioTime {
  return {
    virtual: false,
    now: () => clock.now(),
    settled: async () => {},
    step: (untilMs) => delay(clock, Math.max(1, Math.min(pollMs, untilMs - clock.now()))),
  };
}

async function somethingHappens(journal: Journal, realClock: Clock, patienceMs: number): Promise<boolean> {
  const enough = new AbortController();
  let happened = false;
  const stop = journal.listen(() => {
    happened = true;
    enough.abort();
  });
  await delay(realClock, patienceMs, enough.signal).catch(() => {});
  stop();
  return happened;
}
