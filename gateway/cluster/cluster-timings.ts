/**
 * How often gateways look for work, and how long a gateway can be silent before the other gateways declare it dead. All
 * gateways of a database must have the same values.
 */
export interface ClusterTimings {
  /**
   * The time in ms between two heartbeats. At each heartbeat a gateway stores that it is alive, and looks for work that
   * other gateways left for this gateway.
   */
  beatMs: number;
  /** A gateway counts as dead if its last heartbeat was stored more than this many ms ago. */
  deadAfterMs: number;
}

export const defaultClusterTimings: ClusterTimings = { beatMs: 1_000, deadAfterMs: 5_000 };
