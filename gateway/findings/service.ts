import type { JournalKind, JournalReader } from '../../shared/journal.ts';
import type { Finding } from '../../shared/lint/finding.ts';
import { LiveLint, type WatchEndTimes } from '../../shared/lint/live-lint.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { FindingReporter } from './finding-reporter.ts';

/**
 * The minimum time in real ms between two searches for mistakes that show only after some time. If a client requests
 * the findings, the search begins at once.
 */
const searchEveryMs = 1_000;

/** The kinds of journal entries that can make a POS's mistake certain. */
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
   * When to search for mistakes. `eager`: as soon as mistakes may be certain. `asked`: when a client requests the
   * findings or listens for them. `off`: never.
   */
  when: 'eager' | 'asked' | 'off';
  /** Receives the new findings. */
  reporter: FindingReporter;
}

/**
 * Finds mistakes of POS systems while the gateway runs (B255). The requests are checked after their answers were sent,
 * so no answer is delayed. Some mistakes show only after some time. No timer runs for such mistakes. They are found at
 * the next journal entry of certain kinds, or when a client requests the findings.
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

  /**
   * From now on, searches for mistakes as soon as mistakes may be certain. Returns a function that ends these
   * searches.
   */
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

  get #now(): WatchEndTimes {
    const { clock, realClock } = this.#parts.runtime;
    return { until: clock.now(), realUntil: realClock.now() };
  }

  #search(isForced: boolean, moment: WatchEndTimes): void {
    this.#readJournal();
    const at = this.#parts.runtime.realClock.monotonic();
    // Every search looks for most mistakes. If `inTime` is true, the search also looks for the mistakes that show only
    // after some time.
    const inTime = isForced || at - this.#searchedAt >= searchEveryMs;
    if (inTime) this.#searchedAt = at;
    else if (!this.#lint.isDue) return;
    const { requests, found } = this.#lint.judge(moment, inTime);
    if (requests.length > 0) for (const listener of [...this.#listeners]) listener(requests);
    this.#parts.reporter.report(found);
  }

  #readJournal(): void {
    const { journal } = this.#parts;
    // The journal may have dropped an entry that was not read here yet. That entry may have been the answer to a
    // request, and the request would now seem to have no answer. So the search then starts again and forgets the
    // requests so far.
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

  /** Gives the findings so far. If `requests` is given, gives only the findings about these requests. */
  list(requests?: Iterable<PosRequest>): Finding[] {
    return this.#lint.findings(requests);
  }

  /**
   * Ends the search. Call this when the POS will do nothing more. Anything that the POS still had to do counts as a
   * mistake. Gives the number of causes for which findings about requests were reported.
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

  /** Calls `listener` with the requests that have new or changed findings. Returns a function that ends these calls. */
  listen(listener: (requests: readonly PosRequest[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
