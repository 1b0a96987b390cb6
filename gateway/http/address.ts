/** Where a gateway is reached. It is available once the gateway listens; nothing uses it before. */
export class Address {
  /** Where it listens. */
  url = '';
  #publicUrl: string | undefined;

  constructor(publicUrl?: string) {
    this.#publicUrl = publicUrl;
  }

  /** A path as customers reach it. */
  forCustomers(path: string): URL {
    return new URL(path, this.#publicUrl ?? this.url);
  }
}
