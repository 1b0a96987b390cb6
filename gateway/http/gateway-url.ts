/** The address of a gateway. It is set when the gateway begins to listen. Nothing reads it before that. */
export class GatewayUrl {
  /** The URL at which the gateway listens. */
  url = '';
  #publicUrl: string | undefined;

  constructor(publicUrl?: string) {
    this.#publicUrl = publicUrl;
  }

  /** Gives the URL of a path for customers. */
  forCustomers(path: string): URL {
    return new URL(path, this.#publicUrl ?? this.url);
  }
}
