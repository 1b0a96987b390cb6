import { readStoredOutcome, type StoredOutcome } from '../core/outcome.ts';
import type { PaymentWithOutcomeRow } from './rows.ts';

/** A payment in its present state. It has an outcome if it is concluded. */
export interface PaymentSoFar {
  id: string;
  acceptedAt: number;
  outcome?: StoredOutcome;
  /**
   * The data that the answer repeats if the request came to another vendor's API (dialect). It is set only if the
   * payment was read from the store.
   */
  dialectData?: string;
}

/** Makes a {@link PaymentSoFar} from a row. */
export function makePaymentSoFar(row: PaymentWithOutcomeRow): PaymentSoFar {
  const { id, accepted_at: acceptedAt, dialect_data: dialectData } = row;
  const outcome = readStoredOutcome(row);
  return { id, acceptedAt, ...(outcome && { outcome }), ...(dialectData !== null && { dialectData }) };
}
