/** The options for other vendors' APIs. */
export interface DialectOptions {
  /**
   * Adyen's Terminal API (docs/adyen.md), in the cloud and, if `local` is given, on a port of the terminals; off if
   * absent.
   */
  readonly adyen?: boolean | { readonly local?: LocalOptions };
}

/** The options for the terminals' own API. */
export interface LocalOptions {
  readonly port: number;
  readonly keys: readonly LocalKey[];
}

/** A key that tills share with terminals, as the configuration has it. */
export interface LocalKey {
  readonly identifier: string;
  readonly version: number;
  readonly passphrase: string;
}
