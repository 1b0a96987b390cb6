import { type StoredOutcome, storedOutcome } from '../core/outcome.ts';
import type { FoundPayment } from './rows.ts';

/** A payment as far as it has come: with its outcome once it is concluded. */
export interface PaymentSoFar {
  id: string;
  acceptedAt: number;
  outcome?: StoredOutcome;
  /** The data that the answer in a dialect has to repeat, if the payment was ordered in one and is read from the store. */
  dialectData?: string;
}

/** A stored payment as far as it had come when its row was read. */
export function soFar(row: FoundPayment): PaymentSoFar {
  const { id, accepted_at: acceptedAt, dialect_data: dialectData } = row;
  const outcome = storedOutcome(row);
  return { id, acceptedAt, ...(outcome && { outcome }), ...(dialectData !== null && { dialectData }) };
}
