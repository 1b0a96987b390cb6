import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from '../../shared/node-http.ts';
import { makeAlphanumericText, type Random } from '../../shared/random.ts';
import type { ControlledGateway } from '../../stack/index.ts';

/**
 * The names by which a belief identifies its sale. A belief is a statement about how the shop has recorded the sale.
 */
interface NamedSale {
  readonly payment?: string;
  readonly idempotencyKey?: string;
  readonly saleReferenceId?: string;
}

const mostBytes = 8_192;

/**
 * Receives the beliefs of a command (its statements about how the shop has recorded the sales), and passes them on to a
 * gateway that was already running. The command cannot use the gateway's own address for beliefs, because only the
 * gateway's user knows this address, and the address works only on the gateway's machine. The relay listens on
 * loopback, and its address has a secret in the path.
 */
export class BeliefRelay {
  readonly url: string;
  readonly #server: Server;
  readonly #named = new Map<string, NamedSale>();

  private constructor(server: Server, secret: string) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${secret}`;
  }

  static async listen(gateway: ControlledGateway, random: Random): Promise<BeliefRelay> {
    const secret = makeAlphanumericText(random, 32);
    let made: BeliefRelay | undefined;
    const server = createServer({ requestTimeout: 10_000 }, async (request, response) => {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) if (text.length <= mostBytes) text += chunk;
      const isHere = request.method === 'POST' && request.url === `/${secret}` && text.length <= mostBytes;
      const answer = isHere && made ? await made.#passOn(gateway, text) : { status: 404, text: '' };
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    made = new BeliefRelay(server, secret);
    return made;
  }

  /** Returns the names by which the command identified a sale in its last belief about the sale. */
  namesOf(saleId: string): NamedSale | undefined {
    return this.#named.get(saleId);
  }

  async close(): Promise<void> {
    await new Promise((closed) => {
      this.#server.close(closed);
      this.#server.closeAllConnections();
    });
  }

  async #passOn({ url, controlToken }: ControlledGateway, body: string) {
    const headers = { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' };
    try {
      const answer = await fetch(`${url}/control/beliefs`, { method: 'POST', headers, body });
      const text = await answer.text();
      if (answer.status === 201) this.#named.set(JSON.parse(text).saleId, JSON.parse(body));
      return { status: answer.status, text };
    } catch {
      return { status: 502, text: '' };
    }
  }
}
