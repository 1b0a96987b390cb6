import type { Owned } from '../ownership.ts';

/**
 * An event. Its row is written with the change that it reports, and is not changed later. Only events of an earlier
 * release get their `dispatched_at` later.
 */
export interface EventRow extends Owned {
  id: string;
  /** A number that goes up in the order of the changes. */
  seq: number;
  type: string;
  /** The identifier of the debit, refund or credit that the event is about. */
  resource_id: string;
  created_at: number;
  /** The content of the event, as JSON. */
  data: string;
  /**
   * When the deliveries of the event were made. That is the time of the event, except for events of an earlier release.
   */
  dispatched_at: number | null;
}
