import type { Owned } from '../ownership.ts';

/** Written once with the change it reports; only `dispatched_at` is set later. */
export interface EventRow extends Owned {
  id: string;
  /** Counts up in the order of the changes. */
  seq: number;
  type: string;
  /** The debit, refund or credit it is about. */
  resource_id: string;
  created_at: number;
  /** The payload, as JSON. */
  data: string;
  /** When it was handed on to be delivered. */
  dispatched_at: number | null;
}
