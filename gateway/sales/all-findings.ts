import type { Finding } from '../../shared/lint/finding.ts';
import type { FindingsService } from '../findings/service.ts';
import type { SalesService } from './service.ts';

interface Parts {
  readonly requests: FindingsService;
  readonly sales: SalesService;
}

/** Keeps all findings about POS systems: findings about single requests, and findings about a sale as a whole. */
export class AllFindings {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Finds all mistakes that are certain by now. */
  findMistakes(): void {
    this.#parts.sales.findMistakes();
  }

  /** Gives the findings so far, the most serious first. */
  list(): Finding[] {
    const { requests, sales } = this.#parts;
    this.findMistakes();
    const isError = ({ severity }: Finding) => (severity === 'error' ? 0 : 1);
    return [...requests.list(), ...sales.wholeSaleFindings()].sort(
      (one, other) => isError(one) - isError(other),
    );
  }

  /**
   * Gives the findings about requests that belong to no sale, for example because the token, the path or the method was
   * wrong.
   */
  withoutSale(): Finding[] {
    const { requests, sales } = this.#parts;
    this.findMistakes();
    const strays = [...requests.blamed].filter((request) => !sales.hasSaleOf(request));
    return requests.list(strays);
  }

  /**
   * Ends the search. Call this when the POS will do nothing more. Anything that the POS still had to do counts as a
   * mistake. Gives the number of different causes of the mistakes.
   */
  end(): number {
    const { requests, sales } = this.#parts;
    this.findMistakes();
    // The POS may have corrected what it stated about a sale. So a finding about a sale counts only if the finding is
    // still true.
    return requests.end() + sales.wholeSaleFindings().length;
  }
}
