/** A step of a scenario as in YAML, with a comment for the person who edits it. */
export interface RecordedStep {
  readonly step: string | Record<string, unknown>;
  readonly remark?: string;
}

/**
 * A pause of at least this length becomes a step, because it may be the reason for what followed, such as an expired
 * prompt or the answer 303.
 */
const notableMs = 30_000;

/** The default waiting time of an expectation (5 s), minus a reserve for slow machines. */
const patientMs = 4_000;

/** Collects steps in the order in which things happened. */
export class Recording {
  readonly steps: RecordedStep[] = [];
  #lastAt: number | undefined;

  /**
   * Adds a step for something that happened at `at`, in epoch milliseconds. If a long pause came before it, the pause
   * becomes a step of its own.
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
   * Adds expectations about what was seen at `at`. If it took longer than expectations wait by default, they get a time
   * limit (`within`).
   */
  expect(at: number, ...steps: Record<string, unknown>[]): void {
    const pauseMs = at - (this.#lastAt ?? at);
    const long = pauseMs > patientMs && pauseMs < notableMs;
    const limit = long ? { within: `${Math.ceil(pauseMs / 1000) + 5} s` } : {};
    // A step that lets time pass expects nothing, so it gets no time limit.
    for (const step of steps) this.add(at, 'pass' in step ? step : { ...step, ...limit });
  }

  /** Adds a step for a move of the clock. */
  pass(at: number, byMs: number): void {
    this.add(at, { pass: byMs % 1000 === 0 ? `${byMs / 1000} s` : `${byMs} ms` });
    this.#lastAt = at + byMs;
  }
}
