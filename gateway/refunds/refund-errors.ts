import { formatDecimalAmount } from '../../shared/money.ts';
import { makeInvalidAmountError } from '../http/amounts.ts';
import { ApiError } from '../http/errors.ts';
import { computeDebitRefundAmounts } from '../saved-cards/core/refundability.ts';
import type { InputRefusal, StoredDebit } from '../saved-cards/core/step.ts';
import type { Owner } from '../store/ownership.ts';
import type { GatewayStore } from '../store/store.ts';

/**
 * Makes the error for a path whose identifier does not belong to a debit of the caller. The identifier may belong to
 * another kind of transaction (B92).
 */
export async function makeMissingDebitError(
  store: GatewayStore,
  owner: Owner,
  id: string,
): Promise<ApiError> {
  return new ApiError(
    (await isOtherTransaction(store, owner, id)) ? 'debitNotPaidByCreditCard' : 'debitNotFound',
  );
}

/** Makes the error that says why no refund was made (B87). */
export function makeRefundRefusalError(refusal: InputRefusal, stored: StoredDebit | undefined): ApiError {
  if (refusal.is === 'noAmount') return makeInvalidAmountError('amount', refusal.fault, refusal.currency);
  if (!stored) return new ApiError('debitNotFound');
  if (refusal.is === 'closed')
    return new ApiError('debitNotRefundable', {
      message: `The debit is permanently closed to refunds: ${refusal.reason}`,
    });
  if (refusal.is === 'tooMuch')
    return new ApiError('refundExceedsRefundableAmount', { message: whatIsLeft(stored) });
  return new ApiError('debitNotRefundable', {
    message: `The debit is ${stored.debit.state}, so there is nothing to refund`,
  });
}

function whatIsLeft(stored: StoredDebit): string {
  const { refundable, blocked, blockedReason } = computeDebitRefundAmounts(stored);
  const { currency } = stored.debit;
  const text = (minor: number) => `${formatDecimalAmount(minor, currency)} ${currency}`;
  const left = `${text(refundable)} is left to refund`;
  return blocked > 0 ? `${left}, of which ${text(blocked)} is blocked: ${blockedReason}` : left;
}

/** Returns whether the identifier belongs to a terminal payment or a payment link, and therefore to no debit. */
function isOtherTransaction(store: GatewayStore, owner: Owner, id: string): Promise<boolean> {
  return store.read(async (tx) => {
    for (const table of ['payments', 'credits'] as const) {
      const row = await tx
        .selectFrom(table)
        .select('id')
        .where('id', '=', id.toLowerCase())
        .where('account_id', '=', owner.accountId)
        .where('environment', '=', owner.environment)
        .executeTakeFirst();
      if (row) return true;
    }
    return false;
  });
}
