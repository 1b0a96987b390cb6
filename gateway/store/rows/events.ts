import type { Owned } from '../ownership.ts';

/**
 * An event. Its row is written once, with the change that it reports; only `dispatched_at` of an earlier release's
 * events is set later.
 */
export interface EventRow extends Owned {
  id: string;
  /** Counts up in the order of the changes. */
  seq: number;
  type: string;
  /** The debit, refund or credit that the event is about. */
  resource_id: string;
  created_at: number;
  /** The payload, as JSON. */
  data: string;
  /** When the event was handed on to be delivered: at its creation, except in earlier releases. */
  dispatched_at: number | null;
}
