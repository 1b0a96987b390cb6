/** A fault that a test set at one gateway of several, for all of them. */
export interface FaultRow {
  id: string;
  /** As JSON. */
  fault: string;
  /** How many requests it still affects; null for all. */
  times: number | null;
  /** Microsecond in which it was set. */
  set_at: number;
}
