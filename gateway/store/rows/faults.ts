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

/** One that lets requests through first, or of a kind that gateways of older versions do not know (B212). */
export interface AimedFaultRow extends FaultRow {
  lets_through: number;
}
