import type { AccountService } from '../accounts/service.ts';
import { ApiError } from '../http/errors.ts';
import type { RefundInput } from '../saved-cards/core/step.ts';
import type { DebitInputQueue } from '../saved-cards/debit-input-queue.ts';
import { isOwnedBy, type Owner } from '../store/ownership.ts';
import type { RefundRow } from '../store/rows/refunds.ts';
import type { GatewayStore } from '../store/store.ts';
import { makeMissingDebitError, makeRefundRefusalError } from './refund-errors.ts';
import { type DebitWithRefunds, makeDebitWithRefunds, readDebitIdOfRefund } from './rows.ts';
import type { RefundBody } from './schemas.ts';

interface RefundParts {
  store: GatewayStore;
  accounts: AccountService;
  turns: DebitInputQueue;
}

/** The service for refunds of debits of saved cards (B82, B83, B85). */
export class RefundService {
  readonly #parts: RefundParts;

  constructor(parts: RefundParts) {
    this.#parts = parts;
  }

  /**
   * Gives how much of a debit was refunded, and how much can still be refunded (B82).
   *
   * @throws ApiError debitNotFound, debitNotPaidByCreditCard
   */
  async summary(caller: Owner, debitId: string): Promise<DebitWithRefunds> {
    const { store, turns } = this.#parts;
    const stored = await turns.stored(debitId);
    if (!stored || !isOwnedBy(stored.debit, caller))
      throw await makeMissingDebitError(store, caller, debitId);
    return makeDebitWithRefunds(stored);
  }

  /**
   * Gives the amounts of a debit to the operator.
   *
   * @throws ApiError debitNotFound
   */
  async ofDebit(debitId: string): Promise<DebitWithRefunds> {
    const stored = await this.#parts.turns.stored(debitId);
    if (!stored) throw new ApiError('debitNotFound');
    return makeDebitWithRefunds(stored);
  }

  /**
   * Refunds a debit, in part or in full. Refunds are not idempotent: every call makes another refund (B84).
   *
   * @throws ApiError invalidAmount, debitNotFound, debitNotPaidByCreditCard, debitNotRefundable,
   *   refundExceedsRefundableAmount
   */
  async create(caller: Owner, debitId: string, body: RefundBody): Promise<RefundRow> {
    const { store, accounts, turns } = this.#parts;
    const { currency } = accounts.account(caller.accountId);
    const { amount, reason, reason_details: reasonDetails = null } = body;
    const order = { of: 'refund', is: 'ordered', caller, amount, currency, reason, reasonDetails } as const;
    const { stored, refund, refused } = await turns.put(debitId, order);
    if (refused?.is === 'missing') throw await makeMissingDebitError(store, caller, debitId);
    if (refused) throw makeRefundRefusalError(refused, stored);
    return existing(refund);
  }

  /**
   * Sends a refund to the customer's bank now.
   *
   * @throws ApiError notFound; conflict if the refund is not processing
   */
  submit(refundId: string): Promise<RefundRow> {
    return this.#put(refundId, (id) => ({ of: 'refund', is: 'submitAsked', id }));
  }

  /**
   * Makes a refund fail. If the refund was submitted already, it fails because the customer's bank rejects it.
   *
   * @throws ApiError notFound; conflict if the refund has failed before, because a failure is final (B85)
   */
  fail(refundId: string, why: string): Promise<RefundRow> {
    return this.#put(refundId, (id) => ({ of: 'refund', is: 'failAsked', id, why }));
  }

  async #put(refundId: string, inputFor: (id: string) => RefundInput): Promise<RefundRow> {
    const { store, turns } = this.#parts;
    const id = refundId.toLowerCase();
    const debitId = await store.read((tx) => readDebitIdOfRefund(tx, id));
    if (debitId === undefined) return existing(undefined);
    const { refund, refused } = await turns.put(debitId, inputFor(id));
    const { status } = existing(refund);
    if (refused) throw new ApiError('conflict', { message: `The refund is already ${status}` });
    return existing(refund);
  }
}

function existing(refund: RefundRow | undefined): RefundRow {
  if (!refund) throw new ApiError('notFound', { message: 'The refund does not exist' });
  return refund;
}
