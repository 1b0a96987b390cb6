import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { delay, systemClock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';

/** A message whose signature was verified and which was processed, even if the receiver reported a failure. */
export interface ProcessedEvent {
  id: string;
  body: string;
}

/**
 * The maximum number of messages about one event that the receiver rejects or does not answer. After that, the receiver
 * accepts the event.
 */
const mostFailures = 3;

/**
 * A webhook receiver outside the processes that are killed. It checks signatures, and fails at random in every possible
 * way.
 */
export class WebhookReceiver {
  readonly secret: string;
  readonly url: string;
  /** The messages in the order in which they came. */
  readonly taken: ProcessedEvent[] = [];
  readonly complaints: string[] = [];
  #random: Random;
  #anyTime: boolean;
  #server: Server;
  #failures = new Map<string, number>();

  private constructor(server: Server, random: Random, anyTime: boolean) {
    this.#server = server;
    this.#random = random;
    this.#anyTime = anyTime;
    this.secret = `whsec_${Buffer.from(random.bytes(32)).toString('base64')}`;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  }

  /** @param anyTime whether to accept messages of any age, because the gateway's wall clock is wrong */
  static async start(random: Random, anyTime = false): Promise<WebhookReceiver> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const receiver = new WebhookReceiver(server, random, anyTime);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('error', () => {}); // the process that sends the request was killed
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const status = await receiver.#receive(request.headers, Buffer.concat(chunks).toString());
        if (status === undefined) request.socket.destroy();
        else response.writeHead(status).end();
      });
    });
    return receiver;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Returns the status of the answer, or undefined to close the connection without an answer. */
  async #receive(headers: IncomingHttpHeaders, body: string): Promise<number | undefined> {
    const id = String(headers['webhook-id']);
    try {
      this.#verify(id, headers as Record<string, string>, body);
    } catch (error) {
      this.complaints.push(`${id} is not signed as it should be: ${error} ${body}`);
      return 401;
    }
    const take = () => this.taken.push({ id, body });
    const failed = this.#failures.get(id) ?? 0;
    const pick = this.#random.int(failed >= mostFailures ? 4 : 8);
    if (pick === 0) await delay(systemClock, this.#random.int(30));
    if (pick >= 4) this.#failures.set(id, failed + 1);
    if (pick === 4) return 500;
    if (pick === 5) return undefined;
    take();
    // the receiver processes the message and still reports a failure, so the event comes again
    if (pick === 6) return 503;
    if (pick === 7) return undefined;
    return 204;
  }

  /** @throws Error if the message's signature is wrong */
  #verify(id: string, headers: Record<string, string>, body: string): void {
    const webhook = new Webhook(this.secret);
    if (!this.#anyTime) return void webhook.verify(body, headers);
    const at = new Date(Number(headers['webhook-timestamp']) * 1000);
    if (!headers['webhook-signature']?.split(' ').includes(webhook.sign(id, at, body)))
      throw new Error('another signature');
  }
}
