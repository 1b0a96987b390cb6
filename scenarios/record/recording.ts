/** A step of a scenario, in the form that it has in YAML, and a comment for the person who edits the scenario. */
export interface RecordedStep {
  readonly step: string | Record<string, unknown>;
  readonly remark?: string;
}

/**
 * A pause of at least this length becomes a step. The reason is that the pause may have caused what followed, such as
 * an expired prompt or the answer 303.
 */
const notableMs = 30_000;

/**
 * If an expectation took longer than this, the step gets its own time limit. This value is the default waiting time of
 * an expectation (5 s) minus a reserve for slow machines.
 */
const patientMs = 4_000;

/** Collects steps in the order in which things happened. */
export class RecordedStepList {
  readonly steps: RecordedStep[] = [];
  #lastAt: number | undefined;

  /**
   * Adds a step for something that happened at `at`, in epoch milliseconds. If there was a long pause before `at`,
   * the pause becomes a separate step.
   */
  add(at: number, step: RecordedStep['step'], remark?: string): void {
    this.pause(at, notableMs);
    this.steps.push({ step, ...(remark === undefined ? {} : { remark }) });
  }

  /** Adds a step for the pause that ended at `at`, if the pause was at least `leastMs` long. */
  pause(at: number, leastMs: number): void {
    const pauseMs = at - (this.#lastAt ?? at);
    if (pauseMs >= leastMs) this.steps.push({ step: { pass: `${Math.ceil(pauseMs / 1000)} s` } });
    this.#lastAt = at;
  }

  /**
   * Adds expectations about what was seen at `at`. If the pause before `at` was longer than `patientMs`, but too short
   * to become a separate step, the expectations get a time limit (`within`).
   */
  expect(at: number, ...steps: Record<string, unknown>[]): void {
    const pauseMs = at - (this.#lastAt ?? at);
    const long = pauseMs > patientMs && pauseMs < notableMs;
    const limit = long ? { within: `${Math.ceil(pauseMs / 1000) + 5} s` } : {};
    // A step that lets time pass contains no expectation, so it gets no time limit.
    for (const step of steps) this.add(at, 'pass' in step ? step : { ...step, ...limit });
  }

  /** Adds a step that moves the clock. */
  pass(at: number, byMs: number): void {
    this.add(at, { pass: byMs % 1000 === 0 ? `${byMs / 1000} s` : `${byMs} ms` });
    this.#lastAt = at + byMs;
  }
}
