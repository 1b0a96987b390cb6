/** A fault that a test set at one of several gateways. The fault applies at all gateways. */
export interface FaultRow {
  id: string;
  /** The fault, as JSON. */
  fault: string;
  /** The number of further requests that the fault affects; null if there is no limit. */
  times: number | null;
  /** The time at which the fault was set, in microseconds. */
  set_at: number;
}

/**
 * A fault that lets some requests through before it takes effect, or that has a kind that gateways of older releases do
 * not know (B212).
 */
export interface ExtendedFaultRow extends FaultRow {
  lets_through: number;
}
