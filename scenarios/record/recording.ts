/** A step of a story as YAML holds it, with a remark for whoever edits it. */
export interface RecordedStep {
  readonly step: string | Record<string, unknown>;
  readonly remark?: string;
}

/** Pauses from this on may be why something happened: a prompt ran out, a request was answered 303. */
const notableMs = 30_000;

/** Collects steps in the order in which things happened. */
export class Recording {
  readonly steps: RecordedStep[] = [];
  #lastAt: number | undefined;

  /** Something happened at `at`, epoch milliseconds; a long pause before it becomes a step of its own. */
  add(at: number, step: RecordedStep['step'], remark?: string): void {
    const pauseMs = at - (this.#lastAt ?? at);
    if (pauseMs >= notableMs) this.steps.push({ step: { pass: `${Math.ceil(pauseMs / 1000)} s` } });
    this.#lastAt = at;
    this.steps.push({ step, ...(remark === undefined ? {} : { remark }) });
  }

  /** Somebody moved the clock. */
  pass(at: number, byMs: number): void {
    this.add(at, { pass: byMs % 1000 === 0 ? `${byMs / 1000} s` : `${byMs} ms` });
    this.#lastAt = at + byMs;
  }
}
