import type { JournalKind, JournalReader } from '../../shared/journal.ts';
import type { Finding } from '../../shared/lint/finding.ts';
import { LiveLint, type WatchedUntil } from '../../shared/lint/live-lint.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { FindingReporter } from './finding-reporter.ts';

/**
 * The minimum time in real ms between two searches for mistakes that show only after some time. A request for the
 * findings searches without waiting.
 */
const searchEveryMs = 1_000;

/** The kinds of journal entries by which a mistake of a POS may become certain. */
const decisiveKinds = new Set<string>([
  'http.answered',
  'http.sent',
  'http.hungUp',
  'fault.injected',
  'payment.concluded',
  'webhook.probed',
] satisfies JournalKind[]);

interface FindingsParts {
  runtime: Runtime;
  /** Reads the journal entries of all gateways. */
  journal: JournalReader;
  /**
   * When mistakes are searched for. `eager`: as soon as they are certain. `asked`: when a client requests the findings
   * or listens for them. `off`: never.
   */
  when: 'eager' | 'asked' | 'off';
  /** Receives the new findings. */
  reporter: FindingReporter;
}

/**
 * Finds mistakes of POS systems while they work (B255). A sale is judged after its answer was sent, so that the answer
 * is not delayed. Some mistakes show only after some time. No timer runs for them: they are found when something else
 * happens, or when a client requests the findings.
 */
export class FindingsService {
  readonly #parts: FindingsParts;
  #lint = new LiveLint();
  readonly #listeners = new Set<(requests: readonly PosRequest[]) => void>();
  #readUpTo = 0;
  #followers = 0;
  #stopListening: (() => void) | undefined;
  #isSearchPlanned = false;
  #searchedAt = 0;

  constructor(parts: FindingsParts) {
    this.#parts = parts;
    if (parts.when === 'eager') this.follow();
  }

  /** From now on, searches for mistakes as soon as they may be certain. Returns a function that ends this. */
  follow(): () => void {
    if (this.#parts.when === 'off') return () => {};
    this.#followers++;
    this.#stopListening ??= this.#parts.journal.listen(({ kind }) => {
      if (decisiveKinds.has(kind)) this.#searchSoon();
    });
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#followers === 0) this.stop();
    };
  }

  /** From now on, searches for mistakes only when a client requests the findings. */
  stop(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  #searchSoon(): void {
    if (this.#isSearchPlanned) return;
    this.#isSearchPlanned = true;
    setImmediate(() => {
      this.#isSearchPlanned = false;
      if (this.#stopListening) this.#search(false, this.#now);
    });
  }

  get #now(): WatchedUntil {
    const { clock, realClock } = this.#parts.runtime;
    return { until: clock.now(), realUntil: realClock.now() };
  }

  #search(isForced: boolean, moment: WatchedUntil): void {
    this.#readJournal();
    const at = this.#parts.runtime.realClock.monotonic();
    // Each search looks for most mistakes, but only some searches look for those that show after some time.
    const inTime = isForced || at - this.#searchedAt >= searchEveryMs;
    if (inTime) this.#searchedAt = at;
    else if (!this.#lint.isDue) return;
    const { requests, found } = this.#lint.judge(moment, inTime);
    if (requests.length > 0) for (const listener of [...this.#listeners]) listener(requests);
    this.#parts.reporter.report(found);
  }

  #readJournal(): void {
    const { journal } = this.#parts;
    // An entry was dropped before it was read. It may have been the answer to a request that still looks open. So the
    // search starts again without the requests so far.
    if (journal.droppedUpTo > this.#readUpTo) this.#lint = new LiveLint();
    for (const entry of journal.since(this.#readUpTo)) {
      this.#readUpTo = entry.seq;
      this.#lint.take(entry);
    }
    this.#lint.outlive(journal.droppedUpTo);
  }

  /** Finds all mistakes that are certain by now. */
  findMistakes(): void {
    if (this.#parts.when !== 'off') this.#search(true, this.#now);
  }

  /** Gives the findings so far, about all requests or about the given ones. */
  list(requests?: Iterable<PosRequest>): Finding[] {
    return this.#lint.findings(requests);
  }

  /**
   * Ends the search, because the POS does nothing more. Whatever it should still have done counts as never done. Gives
   * the number of causes that were found.
   */
  end(): number {
    const end = Number.POSITIVE_INFINITY;
    if (this.#parts.when !== 'off') this.#search(true, { until: end, realUntil: end });
    return this.#parts.reporter.count;
  }

  /** Gives the requests that have findings. */
  get blamed(): Iterable<PosRequest> {
    return this.#lint.blamed;
  }

  /** Calls `listener` with the requests that have new or changed findings. Returns a function that stops this. */
  listen(listener: (requests: readonly PosRequest[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
