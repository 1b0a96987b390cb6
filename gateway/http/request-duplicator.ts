import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import { duplexPair } from 'node:stream';
import type { TimerHandle } from '../../shared/clock.ts';
import type { EndInFlight } from '../../shared/in-flight.ts';
import { isTlsServer, requestHttp } from '../../shared/node-http.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { ReadyAnswer } from './ready-answer.ts';

type Sent = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { readonly requestId: string };

/**
 * The headers that are not copied: headers that belong to a connection, and headers that are different for each
 * message.
 */
const ownHeaders = new Set([
  'connection',
  'content-length',
  'date',
  'expect',
  'keep-alive',
  'request-id',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Sends requests to the gateway once more, as networks and proxies sometimes do. A copy is sent over a new connection
 * within the process, so it is handled like any other request. Faults do not affect copies. Otherwise a copy would be
 * copied again and again.
 */
export class RequestDuplicator {
  readonly #server: Server;
  readonly #runtime: Runtime;
  readonly #underWay = new Map<string, { of: string; done: EndInFlight }>();
  /**
   * The timers of copies that will be sent later. Each timer has a function. When this function is called, virtual time
   * stops waiting for the copy.
   */
  readonly #later = new Map<TimerHandle, EndInFlight>();

  constructor(server: Server, runtime: Runtime) {
    this.#server = server;
    this.#runtime = runtime;
  }

  /**
   * If the request that has arrived is a copy, gives the identifier of the original request. Before its arrival, a
   * copy is counted here as work. After that, it is counted like any other request.
   */
  arrived(requestId: string): string | undefined {
    const sent = this.#underWay.get(requestId);
    sent?.done();
    this.#underWay.delete(requestId);
    return sent?.of;
  }

  /**
   * Sends a copy after the present turn of the event loop. Resolves with the copy's answer; undefined if there is none.
   */
  send(
    { method, url, headers, requestId: of }: Sent,
    body: string | undefined,
  ): Promise<ReadyAnswer | undefined> {
    const { inFlight, identifiers } = this.#runtime;
    const requestId = identifiers.next();
    const done = inFlight.begin();
    this.#underWay.set(requestId, { of, done });
    const copy = { method, url, headers: { ...copied(headers), 'Request-Id': requestId } };
    return new Promise<ReadyAnswer | undefined>((resolve) => {
      setImmediate(() => this.#post(copy, body).then(resolve, () => resolve(undefined)));
    }).finally(() => void this.arrived(requestId));
  }

  sendAfter(delayMs: number, { method, url, headers, requestId }: Sent, body: string | undefined): void {
    const { clock, timeWaits } = this.#runtime;
    const awaited = timeWaits.due(delayMs);
    const timer = clock.setTimeout(() => {
      this.#later.delete(timer);
      awaited();
      void this.send({ method, url, headers, requestId }, body);
    }, delayMs);
    this.#later.set(timer, awaited);
  }

  /** Cancels the copies that are not sent yet. */
  stop(): void {
    for (const [timer, awaited] of this.#later) {
      this.#runtime.clock.clearTimeout(timer);
      awaited();
    }
    this.#later.clear();
  }

  #post({ method, url, headers }: Omit<Sent, 'requestId'>, body: string | undefined): Promise<ReadyAnswer> {
    const [here, there] = duplexPair();
    // With TLS, the server gets a connection whose handshake is already done.
    this.#server.emit(isTlsServer(this.#server) ? 'secureConnection' : 'connection', there);
    return new Promise((resolve, reject) => {
      const sending = requestHttp({ method, path: url, headers, createConnection: () => here });
      sending.on('error', reject);
      sending.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          here.destroy();
          const answer = { status: response.statusCode ?? 500, headers: copied(response.headers) };
          resolve({ answer, text: Buffer.concat(chunks).toString() });
        });
      });
      sending.end(body);
    });
  }
}

function copied(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !ownHeaders.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
