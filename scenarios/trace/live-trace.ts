import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TracedSale } from '../../console/index.ts';
import { makeCannotListenError } from '../../shared/cannot-listen.ts';
import type { Clock } from '../../shared/clock.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { JournalPlace } from '../../shared/journal-cursor.ts';
import { createServer } from '../../shared/node-http.ts';
import { makeAlphanumericText, type Random } from '../../shared/random.ts';
import { splitTarget } from '../../shared/request-target.ts';
import {
  type ControlledGateway,
  createEntryNumberer,
  followJournal,
  keepFollowing,
  resumePlaceFor,
} from '../../stack/index.ts';
import { makeStepTextAtSeq } from '../record/record-scenario.ts';
import type { RecordedEnvironment } from '../record/recorded-environment.ts';
import { mayBeInTraces, renderTrace } from './render-trace.ts';
import { TracedSales } from './traced-sales.ts';

/**
 * The number of entries that are kept, which is the same as in a gateway's journal. Up to a quarter more are kept for a
 * while, because old entries are removed in large groups.
 */
const kept = 10_000;

/** A page is disconnected if this many bytes are waiting to be sent to the page. */
const longestBacklog = 8_000_000;

/** A page on this machine that shows the events of a gateway live. */
interface LiveTrace {
  /** The address of the page. The page needs no token, because a part of the address cannot be guessed. */
  readonly url: string;
  /** Resolves when the page is closed; rejects if the gateway's journal cannot be read. */
  readonly over: Promise<void>;
  close(): Promise<void>;
}

interface LiveTraceOptions {
  readonly port?: number;
  /** Returns the gateway's present environment. The scenario steps that a user can copy are made with it. */
  readonly environment?: () => Promise<RecordedEnvironment>;
  /** Called each time that the connection to the gateway is lost. */
  readonly onLost?: () => void;
}

/**
 * Serves the trace of a running gateway on loopback. The control token stays in this process, so no browser gets the
 * token.
 */
export async function startLiveTraceServer(
  gateway: ControlledGateway,
  { clock, random }: { clock: Clock; random: Random },
  { port = 0, environment, onLost = () => {} }: LiveTraceOptions = {},
): Promise<LiveTrace> {
  const secret = makeAlphanumericText(random, 20);
  const stop = new AbortController();
  const view = new LiveView(gateway.url, environment);
  const server = createServer((request, response) => answer(request, response, view, secret));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(makeCannotListenError(error, '127.0.0.1', port)));
    server.listen(port, '127.0.0.1', resolve);
  });
  const { signal } = stop;
  const over = keepFollowing(
    (opened) => {
      const { since, take } = view.connection();
      return followJournal({ ...gateway, signal, since }, take, opened);
    },
    { clock, signal, onLost },
  );
  over.catch(() => {}); // the caller that waits for `over` gets the error
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
  #environment: LiveTraceOptions['environment'];
  #entries: JournalEntry[] = [];
  readonly #sales = new TracedSales();
  readonly #number = createEntryNumberer();
  /** The place in the journal from which the next connection reads. */
  #since: JournalPlace = 0;
  #watching = new Set<ServerResponse>();

  constructor(title: string, environment: LiveTraceOptions['environment']) {
    this.#title = title;
    this.#environment = environment;
  }

  /**
   * Begins a connection. Returns the place in the journal from which to read, and the function that takes the entries.
   * If the place is known, the gateway sends only the entries after it. Otherwise the gateway sends the whole journal,
   * and the function ignores the entries that it already has. It compares entries without their numbers, because the
   * numbers may be different after a restart of the gateway.
   */
  connection(): { since: JournalPlace; take: (entry: JournalEntry, place: JournalPlace) => void } {
    const since = this.#since;
    const until = this.#entries.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    const known = new Set(this.#entries.filter(({ at }) => at === until).map(withoutNumber));
    const isNew = (entry: JournalEntry) =>
      since !== 0 || entry.at > until || (entry.at === until && !known.has(withoutNumber(entry)));
    const take = (entry: JournalEntry, place: JournalPlace) => {
      if (isNew(entry)) this.#add(entry);
      this.#since = resumePlaceFor(place);
    };
    return { since, take };
  }

  #add(given: JournalEntry): void {
    const entry = this.#number(given);
    this.#entries.push(entry);
    if (this.#entries.length > kept * 1.25) this.#entries = this.#entries.slice(-kept);
    const sales = this.#sales.add(entry);
    for (const response of this.#watching) {
      // A page that is too slow is disconnected. The page then reconnects, and gets the latest entries.
      if (response.writableLength > longestBacklog) response.destroy();
      else response.write(eventOf([entry]) + salesEvent(sales));
    }
  }

  page(folder: string): Promise<string> {
    const since = this.#entries.at(-1)?.seq ?? 0;
    return renderTrace({
      title: this.#title,
      entries: this.#entries,
      sales: this.#sales.list(),
      live: { entries: `${folder}entries?since=${since}`, steps: `${folder}steps/` },
    });
  }

  /** Returns the scenario step that repeats an entry, if there is such a step. */
  async step(seq: number): Promise<string | undefined> {
    // If the gateway has stopped, its environment cannot be read.
    const environment = await this.#environment?.().catch(() => undefined);
    const step = makeStepTextAtSeq(this.#entries, seq, environment);
    return step !== undefined && mayBeInTraces(step) ? step : undefined;
  }

  /** Sends a page all entries after `since`, and later each new entry. */
  watch(response: ServerResponse, since: number): void {
    const missed = this.#entries.filter(({ seq }) => seq > since);
    if (missed.length > 0) response.write(eventOf(missed) + salesEvent(this.#sales.list()));
    this.#watching.add(response);
    response.on('close', () => this.#watching.delete(response));
  }
}

function withoutNumber(entry: JournalEntry): string {
  return JSON.stringify({ ...entry, seq: 0 });
}

function eventOf(entries: readonly JournalEntry[]): string {
  return `event: entries\nid: ${entries.at(-1)?.seq}\ndata: ${JSON.stringify(entries)}\n\n`;
}

/**
 * Returns the event that sends sales to a page. The event has no id, because a page that reconnects continues after
 * the last entry that it got.
 */
function salesEvent(sales: readonly TracedSale[]): string {
  return sales.length === 0 ? '' : `event: sales\ndata: ${JSON.stringify(sales)}\n\n`;
}

function answer(request: IncomingMessage, response: ServerResponse, view: LiveView, secret: string): void {
  const [path, query] = splitTarget(request.url ?? '/');
  const folder = `/${secret}/`;
  // Another site could make its host name point to this machine. The check of the host keeps the pages of such a site
  // from reading the journal.
  const isHere = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '');
  const asked = isHere && request.method === 'GET' && path.startsWith(folder) && path.slice(folder.length);
  response.setHeader('Cache-Control', 'no-store');
  if (asked === '') {
    answerWith(response, 'text/html; charset=utf-8', view.page(folder));
  } else if (asked === 'entries') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.flushHeaders();
    view.watch(
      response,
      Number(request.headers['last-event-id'] ?? new URLSearchParams(query).get('since') ?? 0),
    );
  } else if (asked && /^steps\/\d+$/.test(asked)) {
    const step = view.step(Number(asked.slice('steps/'.length)));
    answerWith(
      response,
      'application/json',
      step.then((found) => JSON.stringify({ step: found ?? null })),
    );
  } else {
    response.statusCode = 404;
    response.end('Nothing is here\n');
  }
}

function answerWith(response: ServerResponse, type: string, body: Promise<string>): void {
  response.setHeader('Content-Type', type);
  body.then(
    (text) => response.end(text),
    () => response.destroy(),
  );
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
