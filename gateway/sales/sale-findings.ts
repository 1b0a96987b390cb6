import { toSaleFinding } from '../../shared/lint/finding.ts';
import { RecentlyUsedCache } from '../../shared/recently-used.ts';
import type { PosRequest } from '../../shared/requests/pos-request.ts';
import type { SaleAssembler } from '../../shared/sales/sales.ts';
import type { FindingsService } from '../findings/service.ts';

/** The maximum number of requests that have findings and are remembered here. The same maximum applies to sales. */
const mostBlamed = 2_000;

/** The fields of a request that identify the request's sale. */
type NamedRequest = Parameters<SaleAssembler['ofRequest']>[0];

/**
 * Assigns findings about requests to the sales of these requests. A request may have a finding before its sale is
 * known. So the request is noted first, and the finding is assigned later. Only the names and numbers of requests are
 * kept here. The requests themselves may be long, and they are kept elsewhere.
 */
export class SaleFindingAssigner {
  readonly #findings: FindingsService;
  /**
   * The requests whose findings have changed. The key is the number of the request's journal entry. The sales of these
   * requests may not be known yet.
   */
  readonly #toAssign = new Map<number, NamedRequest>();
  /** For each sale, the numbers of the requests with findings. */
  #blamed = new RecentlyUsedCache<ReadonlySet<number>>(mostBlamed);

  constructor(findings: FindingsService) {
    this.#findings = findings;
  }

  /** Notes requests whose findings have changed. */
  note(requests: Iterable<PosRequest>): void {
    for (const { received, requestId, accountId, payment, key, reference } of requests)
      this.#toAssign.set(received.seq, { requestId, accountId, payment, key, reference });
    for (const seq of this.#toAssign.keys()) {
      if (this.#toAssign.size <= mostBlamed) return;
      this.#toAssign.delete(seq);
    }
  }

  /** Assigns all findings again, because the sales are made again from the journal. */
  reset(): void {
    this.#blamed = new RecentlyUsedCache(mostBlamed);
    this.note(this.#findings.blamed);
  }

  /**
   * Notes that a sale was divided, or that it became part of another sale. The findings about its requests are assigned
   * again. Returns whether there are such findings.
   */
  noteRegrouped(saleId: string): boolean {
    const numbers = this.#blamed.get(saleId);
    if (!numbers) return false;
    this.#blamed.delete(saleId);
    this.note([...this.#findings.blamed].filter(({ received }) => numbers.has(received.seq)));
    return true;
  }

  /** Assigns findings to the sales that are known by now. Gives the sales whose findings have changed. */
  assignTo(sales: SaleAssembler): readonly string[] {
    const changed = new Set<string>();
    for (const [seq, request] of this.#toAssign) {
      const saleId = sales.ofRequest(request)?.saleId;
      if (saleId === undefined) continue;
      this.#blamed.set(saleId, new Set(this.#blamed.get(saleId)).add(seq));
      this.#toAssign.delete(seq);
      changed.add(saleId);
    }
    for (const saleId of changed) this.#assignToOne(sales, saleId);
    return [...changed];
  }

  #assignToOne(sales: SaleAssembler, saleId: string): void {
    const numbers = this.#blamed.get(saleId);
    const blamed = [...this.#findings.blamed].filter(({ received }) => numbers?.has(received.seq));
    this.#blamed.set(saleId, new Set(blamed.map(({ received }) => received.seq)));
    sales.setFindings(saleId, this.#findings.list(blamed).map(toSaleFinding));
  }
}
