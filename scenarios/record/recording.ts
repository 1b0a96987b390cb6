/** A step of a scenario as YAML holds it, with a comment for its editor. */
export interface RecordedStep {
  readonly step: string | Record<string, unknown>;
  readonly remark?: string;
}

/** Pauses from this on may be why something happened: a prompt ran out, a request was answered 303. */
const notableMs = 30_000;

/** As long as an expectation waits where it says nothing else, less what a machine may be slower. */
const patientMs = 4_000;

/** Collects steps in the order in which things happened. */
export class Recording {
  readonly steps: RecordedStep[] = [];
  #lastAt: number | undefined;

  /** Something happened at `at`, epoch milliseconds; a long pause before it becomes a step of its own. */
  add(at: number, step: RecordedStep['step'], remark?: string): void {
    this.pause(at, notableMs);
    this.steps.push({ step, ...(remark === undefined ? {} : { remark }) });
  }

  /** Time went by until `at`: a step of its own where it is as long as `leastMs`. */
  pause(at: number, leastMs: number): void {
    const pauseMs = at - (this.#lastAt ?? at);
    if (pauseMs >= leastMs) this.steps.push({ step: { pass: `${Math.ceil(pauseMs / 1000)} s` } });
    this.#lastAt = at;
  }

  /** Something was seen at `at`: what took longer than expectations wait has its limit with it. */
  expect(at: number, ...steps: Record<string, unknown>[]): void {
    const pauseMs = at - (this.#lastAt ?? at);
    const long = pauseMs > patientMs && pauseMs < notableMs;
    const limit = long ? { within: `${Math.ceil(pauseMs / 1000) + 5} s` } : {};
    // Time that passes is no expectation, and has no limit.
    for (const step of steps) this.add(at, 'pass' in step ? step : { ...step, ...limit });
  }

  /** The clock was moved. */
  pass(at: number, byMs: number): void {
    this.add(at, { pass: byMs % 1000 === 0 ? `${byMs / 1000} s` : `${byMs} ms` });
    this.#lastAt = at + byMs;
  }
}
