import type { Finding } from '../../shared/lint/finding.ts';
import type { FindingsService } from '../findings/service.ts';
import type { SalesService } from './service.ts';

interface Parts {
  readonly requests: FindingsService;
  readonly sales: SalesService;
}

/** All findings about points of sale: about their requests, and about a sale as a whole. */
export class AllFindings {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Judges what there is to judge by now. */
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

  /** Those about requests that are of no sale: a token that is not known, a path that is not there, another method. */
  withoutSale(): Finding[] {
    const { requests, sales } = this.#parts;
    this.look();
    const strays = [...requests.blamed].filter((request) => !sales.hasSaleOf(request));
    return requests.list(strays);
  }

  /** The point of sale does nothing more: what it has not done by now it never does. Gives how many causes there are. */
  end(): number {
    const { requests, sales } = this.#parts;
    this.look();
    // A belief that was corrected is no cause in the end.
    return requests.end() + sales.ownFindings().length;
  }
}
