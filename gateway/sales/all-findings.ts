import type { Finding } from '../../shared/lint/finding.ts';
import type { FindingsService } from '../findings/service.ts';
import type { SalesService } from './service.ts';

interface Parts {
  readonly requests: FindingsService;
  readonly sales: SalesService;
}

/** All findings about points of sale: those about requests, and those about a sale as a whole. */
export class AllFindings {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Judges everything that can be judged by now. */
  look(): void {
    this.#parts.sales.look();
  }

  /** The findings by now, the gravest first. */
  list(): Finding[] {
    const { requests, sales } = this.#parts;
    this.look();
    const isError = ({ severity }: Finding) => (severity === 'error' ? 0 : 1);
    return [...requests.list(), ...sales.ownFindings()].sort((one, other) => isError(one) - isError(other));
  }

  /**
   * The findings about requests that belong to no sale, such as those with an unknown token, an unknown path or a wrong
   * method.
   */
  withoutSale(): Finding[] {
    const { requests, sales } = this.#parts;
    this.look();
    const strays = [...requests.blamed].filter((request) => !sales.hasSaleOf(request));
    return requests.list(strays);
  }

  /**
   * Ends the judging, because the point of sale does nothing more: what it has not done by now counts as never done.
   * Gives how many causes there are.
   */
  end(): number {
    const { requests, sales } = this.#parts;
    this.look();
    // Only the present findings about sales count, because a belief may have been corrected.
    return requests.end() + sales.ownFindings().length;
  }
}
