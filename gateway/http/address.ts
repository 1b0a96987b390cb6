/** The address of a gateway. It is set once the gateway listens, and not used before. */
export class Address {
  /** The URL at which the gateway listens. */
  url = '';
  #publicUrl: string | undefined;

  constructor(publicUrl?: string) {
    this.#publicUrl = publicUrl;
  }

  /** Gives the URL of a path as customers reach it. */
  forCustomers(path: string): URL {
    return new URL(path, this.#publicUrl ?? this.url);
  }
}
