/** How often gateways look, and when they give another up. All of a database must have the same. */
export interface Paces {
  /** A gateway says so often that it lives, and looks so often for what others left it to do. */
  beatMs: number;
  /** One that has not said so for this long is dead. */
  deadAfterMs: number;
}

export const usualPaces: Paces = { beatMs: 1_000, deadAfterMs: 5_000 };
