/** The address of a gateway. It is set when the gateway begins to listen. Nothing reads it before that. */
export class GatewayUrl {
  /** The URL at which the gateway listens. */
  url = '';
  #publicUrl: string | undefined;

  constructor(publicUrl?: string) {
    this.#publicUrl = publicUrl;
  }

  /** Turns a path into the URL at which customers reach it. */
  forCustomers(path: string): URL {
    return new URL(path, this.#publicUrl ?? this.url);
  }
}
