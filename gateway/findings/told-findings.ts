import { type Finding, findingsOf } from '../../shared/lint/finding.ts';
import type { Found } from '../../shared/lint/live-lint.ts';

/** So many causes are told of. */
const mostCauses = 1_000;

/**
 * What was found and told of: one finding for each cause, also where the gateway dies and begins again in its process, and judges
 * the same journal anew (B255).
 */
export class ToldFindings {
  readonly #causes = new Set<string>();
  readonly #listeners = new Set<(finding: Finding) => void>();

  get count(): number {
    return this.#causes.size;
  }

  /** Tells of what was not found before. */
  tell(found: readonly Found[]): void {
    for (const { rule, seen } of found) {
      const cause = `${rule.id}\n${seen.cause ?? seen.of?.received.seq}`;
      if (this.#causes.has(cause) || this.#causes.size >= mostCauses) continue;
      this.#causes.add(cause);
      for (const finding of findingsOf(rule, [seen]))
        for (const listener of [...this.#listeners]) listener(finding);
    }
  }

  /** Calls `listener` with what is found for the first time; returns how to stop. */
  listen(listener: (finding: Finding) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
