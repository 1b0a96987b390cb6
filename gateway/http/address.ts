/** Where a gateway can be reached. This is known once it listens, and not used before. */
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
