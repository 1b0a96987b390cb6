import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Stands in front of several gateways, and sends requests and WebSockets to them in turn. If a gateway does not
 * listen, the next one gets the request. A gateway that hangs still gets its share of the requests, because the
 * balancer checks only whether a gateway listens.
 */
export class Balancer {
  readonly #server: Server;
  readonly #links = new Set<Duplex>();
  #ports: readonly number[] = [];
  #turn = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (call, answer) => void this.#forward(call, answer));
    server.on('upgrade', (call, socket, head) => this.#link(call, socket, head, this.#inTurn()));
  }

  static async start(): Promise<Balancer> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new Balancer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets the gateways' ports. */
  set gateways(ports: readonly number[]) {
    this.#ports = ports;
  }

  /** The number of WebSockets at present. It includes those that no gateway has answered yet. */
  get links(): number {
    return this.#links.size;
  }

  /** Breaks every WebSocket. */
  cutLinks(): void {
    for (const socket of this.#links) socket.destroy();
  }

  /**
   * Resets the client's side of every WebSocket, and closes the gateway's side normally. So a gateway that is paused
   * can later still read what the client sent before the reset.
   */
  resetLinks(): void {
    for (const socket of this.#links) (socket as Socket).resetAndDestroy();
  }

  stop(): void {
    this.cutLinks();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #inTurn(): number[] {
    const first = this.#turn++ % Math.max(1, this.#ports.length);
    return [...this.#ports.slice(first), ...this.#ports.slice(0, first)];
  }

  async #forward(call: IncomingMessage, answer: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    call.on('error', () => {}); // the client has closed the connection
    for await (const chunk of call) chunks.push(chunk as Buffer);
    this.#ask(call, Buffer.concat(chunks), answer, this.#inTurn());
  }

  #ask(call: IncomingMessage, body: Buffer, answer: ServerResponse, [port, ...others]: number[]): void {
    if (port === undefined) return void answer.destroy();
    const { method, url, headers } = call;
    const forwarded = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false });
    const hungUp = () => forwarded.destroy();
    answer.once('close', hungUp);
    forwarded.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.on('error', () => answer.destroy());
      response.pipe(answer);
    });
    forwarded.on('error', (error: NodeJS.ErrnoException) => {
      answer.off('close', hungUp);
      if (error.code === 'ECONNREFUSED') this.#ask(call, body, answer, others);
      else answer.destroy();
    });
    forwarded.end(body);
  }

  #link(call: IncomingMessage, client: Duplex, head: Buffer, [port, ...others]: number[]): void {
    if (port === undefined) return void client.destroy();
    const gateway = connect(port, '127.0.0.1', () => {
      const { method, url, rawHeaders } = call;
      const lines = rawHeaders.map((text, at) => (at % 2 ? `${text}\r\n` : `${text}: `));
      gateway.write(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`);
      gateway.write(head);
      client.pipe(gateway).pipe(client);
      this.#links.add(client);
    });
    gateway.setNoDelay(true);
    (client as Socket).setNoDelay(true);
    gateway.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') this.#link(call, client, head, others);
      else client.destroy();
    });
    gateway.on('close', () => {
      if (this.#links.has(client)) client.destroy();
    });
    client.on('error', () => gateway.destroy());
    client.on('close', () => {
      this.#links.delete(client);
      gateway.destroy();
    });
  }
}
