import type { JournalKind, JournalReader } from '../../shared/journal.ts';
import type { Finding } from '../../shared/lint/finding.ts';
import { LiveLint, type WatchedUntil } from '../../shared/lint/live-lint.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { ToldFindings } from './told-findings.ts';

/** What needs time is looked at no more often, in real time, while nobody asks. */
const lookMs = 1_000;

/** What may be wrong is known when one of these happens. */
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
  /** Of all gateways. */
  journal: JournalReader;
  /** `eager`: as it happens; `asked`: when somebody looks or listens; `off`: never. */
  when: 'eager' | 'asked' | 'off';
  /** Learns what is found for the first time. */
  told: ToldFindings;
}

/**
 * What points of sale do wrong, while they do it (B255). A sale is judged after its answer, beside its payment's turn, in a turn of
 * the event loop of its own; no timer waits for what needs time: it is looked at when something happens, or somebody looks.
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

  /** From now on what happens is judged as it happens; returns how to stop. */
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

  /** Judges nothing more by itself. */
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
    // What is gone unread may have been the answer to what looks open.
    if (journal.droppedUpTo > this.#passed) this.#lint = new LiveLint();
    for (const entry of journal.since(this.#passed)) {
      this.#passed = entry.seq;
      this.#lint.take(entry);
    }
    this.#lint.outlive(journal.droppedUpTo);
  }

  /** Judges what there is to judge by now. */
  look(): void {
    if (this.#parts.when !== 'off') this.#judge(true, this.#now);
  }

  /** What was found by now, about all, or about some requests. */
  list(requests?: Iterable<PosRequest>): Finding[] {
    return this.#lint.findings(requests);
  }

  /** The point of sale does nothing more: what it has not done by now it never does. Gives how many causes were found. */
  end(): number {
    const end = Number.POSITIVE_INFINITY;
    if (this.#parts.when !== 'off') this.#judge(true, { until: end, realUntil: end });
    return this.#parts.told.count;
  }

  /** The requests about which something is found. */
  get blamed(): Iterable<PosRequest> {
    return this.#lint.blamed;
  }

  /** Calls `listener` with the requests of which something else is found now; returns how to stop. */
  listen(listener: (requests: readonly PosRequest[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
