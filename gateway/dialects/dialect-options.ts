/** The options of other vendors' APIs. */
export interface DialectOptions {
  /**
   * Adyen's Terminal API (docs/adyen.md). If this field is absent or false, the gateway does not serve the API.
   * Otherwise the gateway serves the cloud form of the API. If `local` is present, the gateway also serves the API at
   * a port of the terminals.
   */
  readonly adyen?: boolean | { readonly local?: LocalApiOptions };
}

/** The options of the API that terminals serve themselves. */
export interface LocalApiOptions {
  readonly port: number;
  readonly keys: readonly LocalKey[];
}

/** A key that tills and terminals share. The configuration contains it. */
export interface LocalKey {
  readonly identifier: string;
  readonly version: number;
  readonly passphrase: string;
}
