export interface HttpRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Sent as JSON; text is sent as it is. */
  body?: unknown;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  /** Parsed where it is JSON. */
  readonly body: unknown;
}

/** A request without headers and body. */
export const get = (path: string): HttpRequest => ({ method: 'GET', path, headers: {} });

/** A request that was sent, and in time its answer or why there is none. */
export class HttpExchange {
  /** The request as it was sent. */
  readonly request: HttpRequest;
  /** The header request-id, by which the journal names it. */
  readonly requestId: string;
  /** The time at which it was sent, in milliseconds of the clock. */
  readonly sentAt: number;
  /** The answer; undefined until it has come. */
  answer: HttpAnswer | undefined;
  /** Why there will be no answer: the connection broke, or the sender hung up. */
  broken: string | undefined;
  /** Resolves when there is an answer or will be none; never rejects. */
  readonly over: Promise<void>;
  #hangUp = new AbortController();

  constructor(request: HttpRequest, requestId: string, sentAt: number, url: string) {
    this.request = request;
    this.requestId = requestId;
    this.sentAt = sentAt;
    this.over = this.#send(url);
  }

  /**
   * Breaks the connection: the gateway notices it, and the sender never receives the answer.
   *
   * @example
   * const sale = await pinpad.pos.pay({ amount: 12.5 });
   * await sale.exchange.hangUp();
   */
  async hangUp(): Promise<void> {
    this.#hangUp.abort();
    await this.over;
  }

  async #send(url: string): Promise<void> {
    const { method, path, headers, body } = this.request;
    try {
      const response = await fetch(new URL(path, url), {
        method,
        headers: { 'request-id': this.requestId, ...headers },
        redirect: 'manual',
        signal: this.#hangUp.signal,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      const text = await response.text();
      this.answer = {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: parsed(text),
      };
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      this.broken = this.#hangUp.signal.aborted ? 'the sender hung up' : String((cause as Error).message);
    }
  }
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
