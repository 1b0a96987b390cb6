import type { InFlight } from '../../shared/in-flight.ts';
import type { Journal } from '../../shared/journal.ts';

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

/** A request that was sent, and in time its answer or why there is none. */
export class HttpExchange {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly sentAt: number;
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

  /** Breaks the connection; the gateway notices, the sender never receives the answer. */
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

/** Faults after which the sender sees its connection break, without time passing. */
const breaks = new Set(['dropRequest', 'delayRequest', 'dropAnswer', 'truncateAnswer', 'cutAnswer']);

/**
 * Counts requests as in flight while they are on the wire: from the sending until the gateway has them, and from
 * the gateway's answer until the sender has read it. In between they wait for people and terminals.
 */
export class RequestCounter {
  #inFlight: InFlight;
  #onTheWire = new Map<string, () => void>();
  #open = new Set<string>();
  /** Their answers take time, by the gateway's clock. */
  #slow = new Set<string>();

  constructor(inFlight: InFlight, journal: Journal) {
    this.#inFlight = inFlight;
    journal.listen(({ kind, data }) => {
      if (!('requestId' in data) || !this.#open.has(data.requestId)) return;
      const { requestId } = data;
      if ('fault' in data && data.fault === 'slowAnswer') this.#slow.add(requestId);
      if (kind === 'http.received') this.#landed(requestId);
      if (kind === 'http.sent' || (kind === 'http.answered' && !this.#slow.has(requestId)))
        this.#leaves(requestId);
      if ('fault' in data && breaks.has(data.fault)) this.#leaves(requestId);
    });
  }

  /** The request of that id is being sent; it is over when `over` resolves. */
  count(requestId: string, over: Promise<void>): void {
    this.#open.add(requestId);
    this.#leaves(requestId);
    void over.then(() => {
      this.#open.delete(requestId);
      this.#slow.delete(requestId);
      this.#landed(requestId);
    });
  }

  #leaves(requestId: string): void {
    this.#landed(requestId);
    this.#onTheWire.set(requestId, this.#inFlight.begin());
  }

  #landed(requestId: string): void {
    this.#onTheWire.get(requestId)?.();
    this.#onTheWire.delete(requestId);
  }
}
