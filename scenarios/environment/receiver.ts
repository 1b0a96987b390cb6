import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Clock, TimerHandle } from '../../shared/clock.ts';
import type { InFlightTracker } from '../../shared/in-flight.ts';
import { createServer } from '../../shared/node-http.ts';

/** A message of a webhook in the form in which its receiver got the message. */
export interface Arrival {
  /** The name of the receiver. */
  readonly webhook: string;
  /** The header webhook-id, which is the same in every attempt. */
  readonly id: string;
  readonly type: string;
  /** The moment of the event, by the gateway's clock. */
  readonly timestamp: string;
  readonly data: unknown;
  /** The number of the attempt; the first is 1. */
  readonly attempt: number;
  /** Whether the message was signed with the secret that the receiver knows. */
  readonly signature: 'right' | 'wrong';
  /** The status of the receiver's answer. It is undefined before the answer, and if the receiver hung up. */
  answer: number | undefined;
}

type WebhookMessage = Pick<Arrival, 'type' | 'timestamp' | 'data'>;

/** How the receiver answers the next messages. */
type Behaviour =
  | { status: number; times: number }
  | { slowMs: number; times: number }
  | { hangsUp: true; times: number };

/**
 * A webhook endpoint on a real port of this machine. It checks signatures and answers 204, unless the test sets another
 * behaviour.
 */
export class Receiver {
  /** The receiver's name in the test. */
  readonly name: string;
  /** The address to which the gateway sends its messages. */
  readonly url: string;
  /** All messages that came, in order of arrival. */
  readonly arrivals: Arrival[] = [];
  #secret = '';
  #behaviour: Behaviour | undefined;
  #server: Server;
  #clock: Clock;
  #inFlight: InFlightTracker;
  #came: (arrival: Arrival) => void = () => {};

  private constructor(name: string, server: Server, time: { clock: Clock; inFlight: InFlightTracker }) {
    this.name = name;
    this.#server = server;
    this.#clock = time.clock;
    this.#inFlight = time.inFlight;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/${name}`;
  }

  /**
   * @param time the gateway's time, if the gateway is in this process. The delay of slow answers is measured by the
   * clock in `time`
   */
  static start(
    name: string,
    time: { clock: Clock; inFlight: InFlightTracker },
    came: (arrival: Arrival) => void = () => {},
  ): Promise<Receiver> {
    return new Promise((resolve, reject) => {
      const server = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => receiver.#take(Buffer.concat(chunks).toString(), request.headers, response));
      });
      let receiver: Receiver;
      server.on('error', reject);
      server.listen(0, '127.0.0.1', () => {
        receiver = new Receiver(name, server, time);
        receiver.#came = came;
        resolve(receiver);
      });
    });
  }

  /**
   * Checks signatures with this secret from now on, and answers 401 to wrong signatures.
   *
   * @example
   * const secret = await pinpad.webhooks.rotateSecret();
   * pinpad.webhooks.get().knows(secret);
   */
  knows(secret: string): void {
    this.#secret = secret;
  }

  /**
   * Answers the next `times` messages with an error status; by default one message with 500.
   *
   * @example
   * pinpad.webhooks.get().fails(2, 503);
   */
  fails(times = 1, status = 500): void {
    this.#behaviour = { status, times };
  }

  /**
   * Answers 410 from now on, which ends the gateway's deliveries to this receiver.
   *
   * @example
   * pinpad.webhooks.get().gone();
   */
  gone(): void {
    this.#behaviour = { status: 410, times: Number.POSITIVE_INFINITY };
  }

  /**
   * Delays the answers to the next `times` messages by `slowMs` milliseconds of the clock.
   *
   * @example
   * pinpad.webhooks.get().isSlow(20_000);
   */
  isSlow(slowMs: number, times = 1): void {
    this.#behaviour = { slowMs, times };
  }

  /**
   * Gives no answer to the next `times` messages, but breaks their connections.
   *
   * @example
   * pinpad.webhooks.get().hangsUp();
   */
  hangsUp(times = 1): void {
    this.#behaviour = { hangsUp: true, times };
  }

  /**
   * Answers 204 again, whatever was set before.
   *
   * @example
   * pinpad.webhooks.get().fails(100);
   * pinpad.webhooks.get().asUsual();
   */
  asUsual(): void {
    this.#behaviour = undefined;
  }

  /**
   * Stops the receiver and frees its port. The gateway keeps the webhook, but all later messages to the receiver
   * fail.
   *
   * @example
   * await pinpad.webhooks.get().close();
   */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #take(body: string, headers: IncomingHttpHeaders, response: ServerResponse): void {
    const message = parseMessage(body);
    // Any program can send a request to this port.
    if (!message) return void response.writeHead(400).end();
    const arrival = this.#arrived(message, body, headers);
    this.arrivals.push(arrival);
    this.#came(arrival);
    if (arrival.signature === 'wrong') return answer(response, arrival, 401);
    const behaviour = this.#nextBehaviour();
    if (!behaviour) return answer(response, arrival, 204);
    if ('status' in behaviour) return answer(response, arrival, behaviour.status);
    if ('hangsUp' in behaviour) return void response.destroy();
    this.#answerLate(behaviour.slowMs, response, arrival);
  }

  #arrived({ type, timestamp, data }: WebhookMessage, body: string, headers: IncomingHttpHeaders): Arrival {
    const id = String(headers['webhook-id']);
    return {
      webhook: this.name,
      id,
      type,
      timestamp,
      data,
      attempt: this.arrivals.filter((earlier) => earlier.id === id).length + 1,
      signature: this.#isSigned(body, headers) ? 'right' : 'wrong',
      answer: undefined,
    };
  }

  #isSigned(body: string, headers: IncomingHttpHeaders): boolean {
    try {
      new Webhook(this.#secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  }

  #nextBehaviour(): Behaviour | undefined {
    const behaviour = this.#behaviour;
    if (behaviour && --behaviour.times <= 0) this.#behaviour = undefined;
    return behaviour;
  }

  /**
   * Answers `slowMs` later. The status 102 Processing is sent at once, so that a virtual clock can move on before the
   * answer. The answer counts as in flight until it has arrived.
   */
  #answerLate(slowMs: number, response: ServerResponse, arrival: Arrival): void {
    response.writeProcessing();
    const timer: TimerHandle = this.#clock.setTimeout(() => {
      const arriving = this.#inFlight.begin();
      response.on('close', arriving);
      answer(response, arrival, 204);
    }, slowMs);
    response.on('close', () => this.#clock.clearTimeout(timer));
  }
}

/** Returns undefined if the body is not an object in JSON. */
function parseMessage(body: string): WebhookMessage | undefined {
  try {
    const message: unknown = JSON.parse(body);
    return typeof message === 'object' && message ? (message as WebhookMessage) : undefined;
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, arrival: Arrival, status: number): void {
  arrival.answer = status;
  response.writeHead(status).end();
}
