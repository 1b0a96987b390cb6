import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: read freely, as a receiver in another language would
  event: any;
}

/** How the receiver reacts to a request after it has stored the request. A number is the status of the answer. */
export type Reaction = number | 'hangs' | 'hangsUp' | ((response: ServerResponse) => void);

/** A webhook receiver that listens on a real port. */
export class Receiver {
  readonly received: Received[] = [];
  react: (received: Received) => Reaction;
  readonly url: string;
  #close: () => Promise<void>;

  private constructor(url: string, react: Receiver['react'], close: () => Promise<void>) {
    this.url = url;
    this.react = react;
    this.#close = close;
  }

  static start(react: Receiver['react'] = () => 204): Promise<Receiver> {
    let receiver: Receiver;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const got = { headers: request.headers, body, event: JSON.parse(body) };
        receiver.received.push(got);
        const reaction = receiver.react(got);
        if (reaction === 'hangs') return;
        if (reaction === 'hangsUp') return void request.socket.destroy();
        if (typeof reaction === 'function') return reaction(response);
        response.writeHead(reaction).end(`answered ${reaction}`);
      });
    });
    return new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo;
        receiver = new Receiver(
          `http://127.0.0.1:${port}/webhooks`,
          react,
          () =>
            new Promise((closed) => {
              server.close(() => closed());
              server.closeAllConnections();
            }),
        );
        resolve(receiver);
      });
    });
  }

  /** The types of the received events, in the order in which they came. */
  get types(): string[] {
    return this.received.map(({ event }) => event.type);
  }

  /** Gives the types of the received events about one debit. */
  typesOf(debitId: string): string[] {
    return this.received
      .filter(({ event }) => event.data.transactionId === debitId)
      .map(({ event }) => event.type);
  }

  close(): Promise<void> {
    return this.#close();
  }
}
