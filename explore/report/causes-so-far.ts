import { scheduleText } from '../plan/schedule.ts';
import type { RunRecord } from '../run/run-record.ts';
import type { ExploredSchedule } from '../search/run-schedules.ts';
import { findRunFailureCause, type RunFailureCause } from '../verdict/cause.ts';
import { isFailure } from '../verdict/verdict.ts';

/** Collects the causes of failures during an exploration. Each cause is reported only once (B388). */
export class CausesSoFar {
  readonly #survived: Parameters<typeof findRunFailureCause>[1][number][];
  readonly #known: ReadonlySet<string>;
  readonly #keys = new Set<string>();

  constructor(plain: RunRecord, known: ReadonlySet<string>) {
    this.#survived = [{ schedule: [], run: plain }];
    this.#known = known;
  }

  /** Adds a run. Returns the cause of its failure if no earlier failure had the same cause; otherwise undefined. */
  learn(one: ExploredSchedule): RunFailureCause | undefined {
    if (one.verdict.is === 'survived') this.#survived.push(one);
    if (!isFailure(one.verdict) || one.unstable || this.#known.has(scheduleText(one.schedule)))
      return undefined;
    const cause = findRunFailureCause(one, this.#survived);
    if (this.#keys.has(cause.key)) return undefined;
    this.#keys.add(cause.key);
    return cause;
  }
}
