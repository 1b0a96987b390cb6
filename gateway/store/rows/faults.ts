/** A fault that a test set at one gateway of several, for all of them. */
export interface FaultRow {
  id: string;
  /** The fault, as JSON. */
  fault: string;
  /** How many more requests the fault affects; null for all. */
  times: number | null;
  /** The microsecond in which the fault was set. */
  set_at: number;
}

/** A fault that lets requests through first, or whose kind gateways of older releases do not know (B212). */
export interface AimedFaultRow extends FaultRow {
  lets_through: number;
}
