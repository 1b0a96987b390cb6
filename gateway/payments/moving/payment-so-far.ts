import { type StoredOutcome, storedOutcome } from '../core/outcome.ts';
import type { FoundPayment } from './rows.ts';

/** A payment as far as it has come: with its outcome once it is concluded. */
export interface PaymentSoFar {
  id: string;
  acceptedAt: number;
  outcome?: StoredOutcome;
  /**
   * The data that an answer in a dialect repeats. Set if the payment was ordered in a dialect and was read from the
   * store.
   */
  dialectData?: string;
}

/** Makes a {@link PaymentSoFar} from a row. */
export function soFar(row: FoundPayment): PaymentSoFar {
  const { id, accepted_at: acceptedAt, dialect_data: dialectData } = row;
  const outcome = storedOutcome(row);
  return { id, acceptedAt, ...(outcome && { outcome }), ...(dialectData !== null && { dialectData }) };
}
