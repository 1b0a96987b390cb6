import type { OwnerColumns } from '../ownership.ts';

/**
 * An event. The event reports a change. Its row is stored together with that change, and then stays the same. The only
 * exception is a row that an earlier release stored: `dispatched_at` is set in it later.
 */
export interface EventRow extends OwnerColumns {
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
   * The time at which the deliveries of the event were made. For an event of an earlier release, this time is later
   * than the event. For any other event, it is the time of the event.
   */
  dispatched_at: number | null;
}
