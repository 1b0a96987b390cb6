import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JournalEntry } from '../../shared/journal.ts';
import { createServer } from '../../shared/node-http.ts';
import { alphanumeric, type Random } from '../../shared/random.ts';
import { splitTarget } from '../../shared/request-target.ts';
import { type ControlledGateway, followJournal } from '../../stack/index.ts';
import { renderTrace } from './render-trace.ts';

/** As many entries as the gateway itself keeps. */
const kept = 10_000;

const longestBacklog = 8_000_000;

/** A page on this machine that shows what happens on a gateway while it happens. */
interface LiveTrace {
  /** Where the page is; a part of it cannot be guessed, as the page needs no token. */
  readonly url: string;
  /** Resolves when the gateway is gone; rejects where its journal cannot be read. */
  readonly over: Promise<void>;
  close(): Promise<void>;
}

/** Serves the trace of a running gateway on loopback. The control token stays here: no browser gets it. */
export async function startLiveTrace(
  gateway: ControlledGateway,
  random: Random,
  port = 0,
): Promise<LiveTrace> {
  const secret = alphanumeric(random, 20);
  const stop = new AbortController();
  const view = new LiveView(gateway.url);
  const server = createServer((request, response) => answer(request, response, view, secret));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const over = followJournal({ ...gateway, signal: stop.signal, since: 0 }, (entry) => view.add(entry));
  over.catch(() => {}); // the waiting caller gets the error
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${secret}/`,
    over,
    close: async () => {
      stop.abort();
      await closed(server);
    },
  };
}

class LiveView {
  #title: string;
  #entries: JournalEntry[] = [];
  #watching = new Set<ServerResponse>();

  constructor(title: string) {
    this.#title = title;
  }

  add(entry: JournalEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > kept * 1.25) this.#entries = this.#entries.slice(-kept);
    for (const response of this.#watching) {
      // One that does not keep up comes back by itself, and is sent what is latest then.
      if (response.writableLength > longestBacklog) response.destroy();
      else response.write(eventOf([entry]));
    }
  }

  page(live: string): Promise<string> {
    return renderTrace({
      title: this.#title,
      entries: this.#entries,
      live: `${live}?since=${this.#entries.at(-1)?.seq ?? 0}`,
    });
  }

  /** What came after `since`, then what comes. */
  watch(response: ServerResponse, since: number): void {
    const missed = this.#entries.filter(({ seq }) => seq > since);
    if (missed.length > 0) response.write(eventOf(missed));
    this.#watching.add(response);
    response.on('close', () => this.#watching.delete(response));
  }
}

function eventOf(entries: readonly JournalEntry[]): string {
  return `event: entries\nid: ${entries.at(-1)?.seq}\ndata: ${JSON.stringify(entries)}\n\n`;
}

function answer(request: IncomingMessage, response: ServerResponse, view: LiveView, secret: string): void {
  const [path, query] = splitTarget(request.url ?? '/');
  // A page elsewhere that has its own name point here must not read the journal.
  const isHere = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '');
  response.setHeader('Cache-Control', 'no-store');
  if (isHere && request.method === 'GET' && path === `/${secret}/`) {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    view.page(`/${secret}/entries`).then(
      (page) => response.end(page),
      () => response.destroy(),
    );
  } else if (isHere && request.method === 'GET' && path === `/${secret}/entries`) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.flushHeaders();
    view.watch(
      response,
      Number(request.headers['last-event-id'] ?? new URLSearchParams(query).get('since') ?? 0),
    );
  } else {
    response.statusCode = 404;
    response.end('Nothing is here\n');
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
