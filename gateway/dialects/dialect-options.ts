/** The options of other vendors' APIs. */
export interface DialectOptions {
  /**
   * Adyen's Terminal API (docs/adyen.md) in the cloud. If `local` is present, the API is also served at a port of the
   * terminals. If this field is absent, neither is served.
   */
  readonly adyen?: boolean | { readonly local?: LocalApiOptions };
}

/** The options of the API that terminals serve themselves. */
export interface LocalApiOptions {
  readonly port: number;
  readonly keys: readonly LocalKey[];
}

/** A key that tills and terminals share, as it stands in the configuration. */
export interface LocalKey {
  readonly identifier: string;
  readonly version: number;
  readonly passphrase: string;
}
