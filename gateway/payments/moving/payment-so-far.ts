import { type StoredOutcome, storedOutcome } from '../core/outcome.ts';
import type { Found } from './rows.ts';

/** A payment as far as it has come: with its outcome once it is concluded. */
export interface PaymentSoFar {
  id: string;
  acceptedAt: number;
  outcome?: StoredOutcome;
}

/** A stored payment as far as it had come when its row was read. */
export function soFar(row: Found): PaymentSoFar {
  const { id, accepted_at: acceptedAt } = row;
  const outcome = storedOutcome(row);
  return { id, acceptedAt, ...(outcome && { outcome }) };
}
