import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';
import type { Random } from '../../shared/random.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Belief, Sale } from '../../shared/sales/sale.ts';
import { makeSecret } from '../accounts/secret.ts';
import { convertToMinorAmount } from '../http/amounts.ts';
import { ApiError } from '../http/errors.ts';
import { matchesFilter } from './sale-filter.ts';
import type { SalesService } from './service.ts';

/**
 * The maximum number of requests to the secret address of one account in one second of real time. A driver of a POS
 * needs no more requests (B243).
 */
const mostInSecond = 20;
/** The maximum number of sales that an error names if several sales match. */
const mostCandidates = 20;

/**
 * A statement of what the POS believes about a sale (for example that the sale was paid), with names that identify the
 * sale.
 */
interface StatedBelief {
  readonly accountId?: string;
  readonly saleReferenceId?: string;
  readonly idempotencyKey?: string;
  readonly payment?: string;
  readonly believes: Belief['believes'];
  readonly amount?: number;
  readonly times?: number;
}

interface BeliefParts {
  runtime: Runtime;
  sales: SalesService;
  paths: SecretBeliefPaths;
}

/**
 * The secret path of each account, made when it is first needed. The paths stay the same if the gateway crashes and
 * starts again within its process.
 */
export class SecretBeliefPaths {
  readonly #random: Random;
  readonly #secrets = new Map<string, string>();
  readonly #accounts = new Map<string, string>();

  constructor({ realRandom }: Runtime) {
    this.#random = realRandom;
  }

  secretOf(accountId: string): string {
    const secret = this.#secrets.get(accountId) ?? makeSecret(this.#random, 'belief_');
    this.#secrets.set(accountId, secret);
    this.#accounts.set(secret, accountId);
    return secret;
  }

  accountOf(secret: string): string | undefined {
    return this.#accounts.get(secret);
  }
}

/**
 * Accepts statements of what the POS believes about its sales (B242). Tests and drivers send such statements through
 * the control API or to an account's secret address. The journal keeps the statements. The database keeps only the
 * payments of sales.
 */
export class BeliefService {
  readonly #parts: BeliefParts;
  /** For each account, the times of the last second's requests to the account's secret address. */
  readonly #came = new Map<string, number[]>();

  constructor(parts: BeliefParts) {
    this.#parts = parts;
  }

  /** Gives the path for statements about this account's sales. A caller needs only this path, and no token. */
  pathOf(accountId: string): string {
    return `/beliefs/${this.#parts.paths.secretOf(accountId)}`;
  }

  /**
   * Counts a request to an address, even if the request turns out to be wrong.
   *
   * @throws ApiError routeNotFound if there is no such address; rateLimited if there were too many requests
   */
  admit(secret: string): void {
    const accountId = this.#parts.paths.accountOf(secret);
    if (accountId === undefined) throw new ApiError('routeNotFound');
    const now = this.#parts.runtime.realClock.monotonic();
    const came = (this.#came.get(accountId) ?? []).filter((at) => now - at < 1_000);
    this.#came.set(accountId, came);
    if (came.length >= mostInSecond) throw new ApiError('rateLimited', { headers: { 'Retry-After': '1' } });
    came.push(now);
  }

  /** @throws ApiError routeNotFound, notFound, and the errors of {@link state} */
  async stateAt(secret: string, belief: StatedBelief): Promise<Sale> {
    const accountId = this.#parts.paths.accountOf(secret);
    if (accountId === undefined) throw new ApiError('routeNotFound');
    if (belief.accountId !== undefined && belief.accountId !== accountId) throw noSale();
    return this.state({ ...belief, accountId });
  }

  /**
   * @throws ApiError notFound if no sale matches; conflict with the matching sales if several sales match;
   *   invalidAmount
   */
  async state(belief: StatedBelief): Promise<Sale> {
    const sale = await this.#find(belief);
    const { believes, amount, times } = belief;
    // The amount 0 is valid here. It says that the POS believes that nothing was paid.
    if (amount && sale.currency !== null) convertToMinorAmount(amount, sale.currency, 'amount');
    const payment = belief.payment ?? sale.attempts[0]?.payment;
    this.#parts.runtime.journal.add('belief.stated', {
      saleId: sale.saleId,
      believes,
      ...(payment === undefined ? {} : { payment }),
      ...(amount === undefined ? {} : { amount }),
      ...(times === undefined ? {} : { times }),
    });
    return this.#parts.sales.find(sale.saleId);
  }

  async #find({ payment, accountId, saleReferenceId, idempotencyKey }: StatedBelief): Promise<Sale> {
    const { sales } = this.#parts;
    const filter = { accountId, saleReferenceId, idempotencyKey };
    if (payment !== undefined) {
      const sale = await sales.find(payment);
      if (matchesFilter(sale, filter)) return sale;
      throw noSale();
    }
    const found = await sales.page(filter, undefined, mostCandidates);
    const [sale, ...others] = found.sales;
    if (!sale) throw noSale();
    if (others.length > 0) throw severalSales(found.sales);
    return sale;
  }
}

function noSale(): ApiError {
  return new ApiError('notFound', { message: 'No sale matches the request' });
}

function severalSales(candidates: readonly Sale[]): ApiError {
  const message = 'Several sales match: also give the payment, the Idempotency-Key or the accountId';
  const shown = candidates.map(({ saleId, accountId, saleReferenceId, idempotencyKey, startedAt }) => ({
    saleId,
    accountId,
    saleReferenceId: saleReferenceId && maskCardNumbers(saleReferenceId),
    idempotencyKey: idempotencyKey && maskCardNumbers(idempotencyKey),
    startedAt,
  }));
  return new ApiError('conflict', { message, fields: { candidates: shown } });
}
