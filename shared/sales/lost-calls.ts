import { beginsAtTerminal } from './request-kind.ts';
import { type SaleIndex, saleIndexKeys } from './sale-index.ts';
import type { CallRecord, SaleRecord } from './sale-record.ts';
import type { StoredAttempt } from './stored-attempts.ts';

type Stored = Pick<StoredAttempt, 'payment' | 'accountId' | 'key' | 'reference' | 'acceptedAt'>;

/**
 * Finds the sale of a stored payment that the gateway could not journal before it crashed. The sale is found by the
 * call that made the payment.
 */
export function findSaleBeforeCrash(index: SaleIndex, stored: readonly Stored[]): SaleRecord | undefined {
  for (const one of stored) {
    const { accountId, key, reference } = one;
    const found = [
      ...(key === undefined ? [] : [index.find(saleIndexKeys.key(accountId, key))]),
      ...(reference === undefined ? [] : [index.find(saleIndexKeys.reference(accountId, reference))]),
    ].find((record) => record && lostCallOf(record, one));
    if (found) return found;
  }
  return undefined;
}

/**
 * Links the payments of a sale to the calls that made the payments. So the answers that the point of sale got about
 * these payments are known.
 */
export function linkPaymentsToLostCalls(record: SaleRecord, stored: readonly Stored[]): void {
  for (const one of stored) {
    const attempt = record.attempts.find(({ payment }) => payment === one.payment);
    const call = attempt?.known === false ? lostCallOf(record, one) : undefined;
    if (!attempt || !call) continue;
    call.payment = one.payment;
    attempt.known = true;
  }
}

function lostCallOf({ calls }: SaleRecord, { key, acceptedAt }: Stored): CallRecord | undefined {
  return calls.find(
    (call) =>
      beginsAtTerminal(call.kind) &&
      call.end === 'lost' &&
      call.payment === undefined &&
      call.key === key &&
      call.at <= acceptedAt &&
      acceptedAt <= (call.endedAt ?? 0),
  );
}
