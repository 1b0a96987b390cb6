import { readStoredOutcome, type StoredOutcome } from '../core/outcome.ts';
import type { FoundPayment } from './rows.ts';

/** A payment in its present state. It has an outcome if it is concluded. */
export interface PaymentSoFar {
  id: string;
  acceptedAt: number;
  outcome?: StoredOutcome;
  /**
   * The data that an answer in the request's dialect repeats. It is set if the request came in a dialect and the
   * payment was read from the store.
   */
  dialectData?: string;
}

/** Makes a {@link PaymentSoFar} from a row. */
export function makePaymentSoFar(row: FoundPayment): PaymentSoFar {
  const { id, accepted_at: acceptedAt, dialect_data: dialectData } = row;
  const outcome = readStoredOutcome(row);
  return { id, acceptedAt, ...(outcome && { outcome }), ...(dialectData !== null && { dialectData }) };
}
