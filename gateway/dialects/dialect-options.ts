/** How other vendors' APIs are served. */
export interface DialectOptions {
  /** Adyen's Terminal API (docs/adyen.md), in the cloud and where it is wanted on a port of the terminals; off when absent. */
  readonly adyen?: boolean | { readonly local?: LocalOptions };
}

/** How the terminals' own API is served. */
export interface LocalOptions {
  readonly port: number;
  readonly keys: readonly LocalKey[];
}

/** What tills share with terminals, as it is configured. */
export interface LocalKey {
  readonly identifier: string;
  readonly version: number;
  readonly passphrase: string;
}
