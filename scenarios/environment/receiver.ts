import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Clock, TimerHandle } from '../../shared/clock.ts';
import type { InFlight } from '../../shared/in-flight.ts';
import { createServer } from '../../shared/node-http.ts';

/** A webhook as its receiver got it. */
export interface Arrival {
  /** Name of the receiver. */
  readonly webhook: string;
  /** The header webhook-id: the same in every attempt. */
  readonly id: string;
  readonly type: string;
  /** When the event happened, by the gateway's clock. */
  readonly timestamp: string;
  readonly data: unknown;
  /** 1 when it came first. */
  readonly attempt: number;
  /** Whether its signature is one of the secret that the receiver knows. */
  readonly signature: 'right' | 'wrong';
  /** The status it was answered with; undefined while it is not, or where the receiver hung up. */
  answer: number | undefined;
}

/** What a receiver does with what comes. */
type Behaviour =
  | { status: number; times: number }
  | { slowMs: number; times: number }
  | { hangsUp: true; times: number };

/** A webhook endpoint on a real port of this machine. It checks signatures, and answers 204, or as it is asked to. */
export class Receiver {
  readonly name: string;
  readonly url: string;
  /** Everything that came, in the order it came. */
  readonly arrivals: Arrival[] = [];
  #secret = '';
  #behaviour: Behaviour | undefined;
  #server: Server;
  #clock: Clock;
  #inFlight: InFlight;
  #came: (arrival: Arrival) => void = () => {};

  private constructor(name: string, server: Server, time: { clock: Clock; inFlight: InFlight }) {
    this.name = name;
    this.#server = server;
    this.#clock = time.clock;
    this.#inFlight = time.inFlight;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/${name}`;
  }

  /** @param time the gateway's, where it is in this process: slow answers take time of that clock */
  static start(
    name: string,
    time: { clock: Clock; inFlight: InFlight },
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

  /** From now on it checks signatures with this secret, and answers 401 to others. */
  knows(secret: string): void {
    this.#secret = secret;
  }

  /** The next so many are answered with a status that is no success; 500 without. */
  fails(times = 1, status = 500): void {
    this.#behaviour = { status, times };
  }

  /** Answers 410 from now on, which unsubscribes it. */
  gone(): void {
    this.#behaviour = { status: 410, times: Number.POSITIVE_INFINITY };
  }

  /** The next so many are answered later, in milliseconds of the clock. */
  isSlow(slowMs: number, times = 1): void {
    this.#behaviour = { slowMs, times };
  }

  /** The connection of the next so many breaks without an answer. */
  hangsUp(times = 1): void {
    this.#behaviour = { hangsUp: true, times };
  }

  /** Answers 204 again, whatever was said before. */
  asUsual(): void {
    this.#behaviour = undefined;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #take(body: string, headers: IncomingHttpHeaders, response: ServerResponse): void {
    const arrival = this.#arrived(body, headers);
    this.arrivals.push(arrival);
    this.#came(arrival);
    if (arrival.signature === 'wrong') return answer(response, arrival, 401);
    const behaviour = this.#nextBehaviour();
    if (!behaviour) return answer(response, arrival, 204);
    if ('status' in behaviour) return answer(response, arrival, behaviour.status);
    if ('hangsUp' in behaviour) return void response.destroy();
    this.#answerLate(behaviour.slowMs, response, arrival);
  }

  #arrived(body: string, headers: IncomingHttpHeaders): Arrival {
    const id = String(headers['webhook-id']);
    const { type, timestamp, data } = JSON.parse(body) as Arrival;
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

  /** 102 Processing lets a virtual clock go on meanwhile; the answer on its way is counted until it has arrived. */
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

function answer(response: ServerResponse, arrival: Arrival, status: number): void {
  arrival.answer = status;
  response.writeHead(status).end();
}
