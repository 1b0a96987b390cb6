import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from '../../shared/node-http.ts';
import { makeAlphanumericText, type Random } from '../../shared/random.ts';

/** The environment variables that a command gets for a run. */
export type CommandVariables = Readonly<Record<string, string>>;

interface OpenRun {
  readonly id: string;
  readonly variables: CommandVariables;
  readonly done: () => void;
}

/**
 * Gives several runs to one command, so that the command is started only once. `POST {url}/next` answers 200 with the
 * next run and its variables, or 204 when there is no further run; `POST {url}/runs/{id}/done` ends the run. The server
 * is on loopback, with a secret in its path.
 */
export class ExploreServer {
  readonly url: string;
  readonly #server: Server;
  #open = new Map<string, OpenRun>();
  readonly #waiting = new Set<() => void>();
  #asked = false;
  #over = false;
  #count = 0;

  private constructor(server: Server, secret: string) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${secret}`;
  }

  static async listen(random: Random): Promise<ExploreServer> {
    const secret = makeAlphanumericText(random, 32);
    let answer: ((path: string) => Promise<{ status: number; body?: object }>) | undefined;
    const server = createServer({ requestTimeout: 10_000 }, async (request, response) => {
      request.resume(); // the body of the request is ignored
      const [path = ''] = (request.url ?? '').split('?');
      const { status, body } =
        request.method === 'POST' && path.startsWith(`/${secret}/`)
          ? ((await answer?.(path.slice(secret.length + 2))) ?? { status: 503 })
          : { status: 404 };
      if (response.destroyed) return;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body && JSON.stringify(body));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    const made = new ExploreServer(server, secret);
    answer = (path) => made.#answer(path);
    return made;
  }

  /**
   * Whether a command has asked this server for a run. Such a command keeps running, and asks this server for its next
   * runs too.
   */
  get isAsked(): boolean {
    return this.#asked;
  }

  /** Offers a run to the next command that asks for one. `done` resolves when the command says that the run is done. */
  offer(variables: CommandVariables): { id: string; done: Promise<void>; withdraw: () => void } {
    const id = `run-${++this.#count}`;
    let resolve = () => {};
    const done = new Promise<void>((settled) => {
      resolve = settled;
    });
    this.#open.set(id, { id, variables, done: resolve });
    this.#wake();
    return { id, done, withdraw: () => this.#open.delete(id) };
  }

  /** Tells every command that there is no further run. */
  over(): void {
    this.#over = true;
    this.#wake();
  }

  async close(): Promise<void> {
    this.over();
    await new Promise((closed) => {
      this.#server.close(closed);
      this.#server.closeIdleConnections();
      setImmediate(() => this.#server.closeAllConnections());
    });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  async #answer(path: string): Promise<{ status: number; body?: object }> {
    if (path === 'next') return this.#next();
    const [, id = ''] = /^runs\/(run-\d+)\/done$/.exec(path) ?? [];
    if (id === '')
      return { status: 404, body: { error: 'notFound', message: 'POST next, or runs/{id}/done' } };
    const run = this.#open.get(id);
    this.#open.delete(id);
    run?.done();
    return run ? { status: 204 } : { status: 404, body: { error: 'notFound', message: `${id} is over` } };
  }

  /**
   * Waits until a run is offered, and answers with that run. If the command asks again before the run is done, the
   * answer is the same run.
   */
  async #next(): Promise<{ status: number; body?: object }> {
    this.#asked = true;
    for (;;) {
      const [run] = this.#open.values();
      if (run) return { status: 200, body: { run: run.id, variables: run.variables } };
      if (this.#over) return { status: 204 };
      await new Promise<void>((wake) => this.#waiting.add(wake));
    }
  }
}
