/**
 * How often gateways look for work, and when they give another gateway up. All gateways of a database must have the
 * same values.
 */
export interface Paces {
  /** The interval at which a gateway stores that it is alive, and looks for work that other gateways left for it. */
  beatMs: number;
  /** A gateway that has not stored for this long that it is alive counts as dead. */
  deadAfterMs: number;
}

export const usualPaces: Paces = { beatMs: 1_000, deadAfterMs: 5_000 };
