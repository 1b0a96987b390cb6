import { explainConnectionError } from '../../shared/connection-error.ts';

export interface HttpRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** The body, which is sent as JSON; a text is sent unchanged. */
  body?: unknown;
}

export interface HttpAnswer {
  readonly status: number;
  /** The headers. Their names are in lower case. */
  readonly headers: Record<string, string>;
  /** The body, parsed if it is JSON. */
  readonly body: unknown;
}

/** Makes a request without headers. */
export function makePlainRequest(method: string, path: string, body?: unknown): HttpRequest {
  return { method, path, headers: {}, ...(body !== undefined && { body }) };
}

/** A request that was sent. Later it also has the answer, or the reason why there is no answer. */
export class HttpExchange {
  /** The request as it was sent. */
  readonly request: HttpRequest;
  /** The header request-id, which identifies the request in the journal. */
  readonly requestId: string;
  /** The time at which the request was sent, in milliseconds of the clock. */
  readonly sentAt: number;
  /** The answer; undefined until it has arrived. */
  answer: HttpAnswer | undefined;
  /** The reason why there will be no answer: the connection broke, or the sender hung up. */
  broken: string | undefined;
  /** Resolves when the answer has arrived, or when it is known that no answer will come. Never rejects. */
  readonly over: Promise<void>;
  #hangUp = new AbortController();

  constructor(request: HttpRequest, requestId: string, sentAt: number, url: string) {
    this.request = request;
    this.requestId = requestId;
    this.sentAt = sentAt;
    this.over = this.#send(url);
  }

  /**
   * Breaks the connection. The gateway notices this, and the sender never receives the answer.
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
      this.broken = this.#hangUp.signal.aborted ? 'the sender hung up' : explainConnectionError(error);
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
