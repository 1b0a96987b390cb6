import type { JournalKind, JournalReader } from '../../shared/journal.ts';
import type { Finding } from '../../shared/lint/finding.ts';
import { LiveLint, type WatchedUntil } from '../../shared/lint/live-lint.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { ToldFindings } from './told-findings.ts';

/** How often, in real time, findings that need time are judged at most, unless someone requests them. */
const lookMs = 1_000;

/** The kinds of entries after which a mistake can be known. */
const ends = new Set<string>([
  'http.answered',
  'http.sent',
  'http.hungUp',
  'fault.injected',
  'payment.concluded',
  'webhook.probed',
] satisfies JournalKind[]);

interface FindingsParts {
  runtime: Runtime;
  /** Reads the entries of all gateways. */
  journal: JournalReader;
  /** `eager`: at once; `asked`: on request, or while a listener is there; `off`: never. */
  when: 'eager' | 'asked' | 'off';
  /** Is told the new findings. */
  told: ToldFindings;
}

/**
 * Finds mistakes of points of sale while they work (B255). A sale is judged after its answer, in another turn of the
 * event loop than its payment's. Findings that need time have no timer: they are judged when something happens, or on
 * request.
 */
export class FindingsService {
  readonly #parts: FindingsParts;
  #lint = new LiveLint();
  readonly #listeners = new Set<(requests: readonly PosRequest[]) => void>();
  #passed = 0;
  #followers = 0;
  #stop: (() => void) | undefined;
  #isPlanned = false;
  #lookedAt = 0;

  constructor(parts: FindingsParts) {
    this.#parts = parts;
    if (parts.when === 'eager') this.follow();
  }

  /** Judges everything at once from now on; returns a function that ends that. */
  follow(): () => void {
    if (this.#parts.when === 'off') return () => {};
    this.#followers++;
    this.#stop ??= this.#parts.journal.listen(({ kind }) => {
      if (ends.has(kind)) this.#plan();
    });
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#followers === 0) this.stop();
    };
  }

  /** Stops judging without a request. */
  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      if (this.#stop) this.#judge(false, this.#now);
    });
  }

  get #now(): WatchedUntil {
    const { clock, realClock } = this.#parts.runtime;
    return { until: clock.now(), realUntil: realClock.now() };
  }

  #judge(isAsked: boolean, moment: WatchedUntil): void {
    this.#readOn();
    const at = this.#parts.runtime.realClock.monotonic();
    const inTime = isAsked || at - this.#lookedAt >= lookMs;
    if (inTime) this.#lookedAt = at;
    else if (!this.#lint.isDue) return;
    const { requests, found } = this.#lint.judge(moment, inTime);
    if (requests.length > 0) for (const listener of [...this.#listeners]) listener(requests);
    this.#parts.told.tell(found);
  }

  #readOn(): void {
    const { journal } = this.#parts;
    // An entry that was dropped before it was read may have been the answer to a request that still looks open.
    if (journal.droppedUpTo > this.#passed) this.#lint = new LiveLint();
    for (const entry of journal.since(this.#passed)) {
      this.#passed = entry.seq;
      this.#lint.take(entry);
    }
    this.#lint.outlive(journal.droppedUpTo);
  }

  /** Judges everything that can be judged by now. */
  look(): void {
    if (this.#parts.when !== 'off') this.#judge(true, this.#now);
  }

  /** Gives the findings so far, about all requests or about some of them. */
  list(requests?: Iterable<PosRequest>): Finding[] {
    return this.#lint.findings(requests);
  }

  /**
   * Ends the judging, because the point of sale does nothing more: what it has not done by now counts as never done.
   * Gives how many causes were found.
   */
  end(): number {
    const end = Number.POSITIVE_INFINITY;
    if (this.#parts.when !== 'off') this.#judge(true, { until: end, realUntil: end });
    return this.#parts.told.count;
  }

  /** The requests with findings. */
  get blamed(): Iterable<PosRequest> {
    return this.#lint.blamed;
  }

  /** Calls `listener` with the requests whose findings have changed; returns a function that stops this. */
  listen(listener: (requests: readonly PosRequest[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
