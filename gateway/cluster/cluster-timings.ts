/**
 * How often gateways look for work, and after what time without a sign of life they declare another gateway dead. All
 * gateways of a database must have the same values.
 */
export interface ClusterTimings {
  /**
   * The time in ms between two heartbeats. At each heartbeat a gateway stores that it is alive, and looks for work that
   * other gateways left for it.
   */
  beatMs: number;
  /** A gateway counts as dead if it has not stored for this many ms that it is alive. */
  deadAfterMs: number;
}

export const defaultClusterTimings: ClusterTimings = { beatMs: 1_000, deadAfterMs: 5_000 };
