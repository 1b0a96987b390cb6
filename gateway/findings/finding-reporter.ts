import { type Finding, groupFindings } from '../../shared/lint/finding.ts';
import type { RuleOccurrence } from '../../shared/lint/live-lint.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';

/**
 * Called with a new finding and the request in which the mistake was made. The request is undefined if the finding is
 * about a whole sale or an event.
 */
type FindingListener = (finding: Finding, request: PosRequest | undefined) => void;

/** Findings are reported for at most this many different causes of mistakes. */
const mostCauses = 1_000;

/**
 * Reports one finding for each cause of mistakes. If the gateway restarts within its process, the same journal is read
 * again, but no cause is reported twice (B255).
 */
export class FindingReporter {
  readonly #causes = new Set<string>();
  #count = 0;
  readonly #listeners = new Set<FindingListener>();

  /** The number of causes for which findings about requests have been reported so far. */
  get count(): number {
    return this.#count;
  }

  /** Reports the findings whose causes were not reported before. */
  report(found: readonly RuleOccurrence[]): void {
    for (const { rule, seen } of found) {
      if (!this.#isNew(`${rule.id}\n${seen.cause ?? seen.of?.received.seq}`)) continue;
      this.#count++;
      for (const finding of groupFindings(rule, [seen])) this.#notify(finding, seen.of);
    }
  }

  /** Reports the new findings about a sale as a whole. */
  reportForSale(saleId: string, found: readonly Finding[]): void {
    for (const finding of found)
      if (this.#isNew(`${finding.rule}\n${saleId}`)) this.#notify(finding, undefined);
  }

  #isNew(cause: string): boolean {
    if (this.#causes.has(cause) || this.#causes.size >= mostCauses) return false;
    this.#causes.add(cause);
    return true;
  }

  #notify(finding: Finding, request: PosRequest | undefined): void {
    for (const listener of [...this.#listeners]) listener(finding, request);
  }

  /** Calls `listener` with each new finding. Returns a function that ends these calls. */
  listen(listener: FindingListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
