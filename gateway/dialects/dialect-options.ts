/** The options of other vendors' APIs. */
export interface DialectOptions {
  /**
   * Adyen's Terminal API (docs/adyen.md) in the cloud. With `local` it is also served on a port for the terminals. If
   * this is absent, both are off.
   */
  readonly adyen?: boolean | { readonly local?: LocalOptions };
}

/** The options of the API that terminals serve themselves. */
export interface LocalOptions {
  readonly port: number;
  readonly keys: readonly LocalKey[];
}

/** A key that tills and terminals share, as the configuration gives it. */
export interface LocalKey {
  readonly identifier: string;
  readonly version: number;
  readonly passphrase: string;
}
