import { createParser, type EventSourceMessage } from 'eventsource-parser';
import {
  type ApiClient,
  ApiError,
  type CallParts,
  type ClientOptions,
  createApiClient,
  fillPath,
  send,
} from './api-client.ts';
import type { Event, JournalEntry, paths, Sale } from './openapi-types.ts';

type ControlPaths = { [Path in keyof paths as Path extends `/control${string}` ? Path : never]: paths[Path] };

/** The types of the entries of the live streams, by the path of the stream. */
interface Streams {
  '/control/journal/stream': JournalEntry;
  '/control/events/stream': Event;
  '/control/sales/stream': Sale;
}

/** The entries of a live stream. The gateway or a signal ends the stream. */
interface LiveStream<Data> extends AsyncIterable<Data> {
  /**
   * The id of the latest entry. To continue a stream of the journal after that entry, open a new stream with this id as
   * `since`. If there are several gateways, any of them can open the new stream.
   */
  readonly last: string | undefined;
}

type StreamRequest<Path extends keyof Streams> = {
  params?: Pick<paths[Path]['get']['parameters'], 'query'>;
  /** When this signal aborts, the stream ends without an error. */
  signal?: AbortSignal;
};

/**
 * A client for everything under `/control`. A call resolves with the answer's body, and throws an ApiError if the
 * gateway refuses the call.
 */
export type ControlClient = ApiClient<ControlPaths> & {
  /**
   * Opens a live stream, and resolves with its entries. The gateway or `signal` ends the stream.
   *
   * @throws ApiError if the gateway refuses the stream
   *
   * @example
   * const control = createControlClient({ url: 'http://127.0.0.1:8080', token: 'control_…' });
   * for await (const sale of await control.stream('/control/sales/stream')) console.log(sale);
   */
  stream<Path extends keyof Streams>(
    path: Path,
    request?: StreamRequest<Path>,
  ): Promise<LiveStream<Streams[Path]>>;
};

/**
 * A typed client of the control API, for tests and tools. Paths, parameters and bodies are written as with
 * `createClient`; a call resolves with the answer itself, because calls of this API are expected to succeed. A call
 * rejects with an ApiError if the gateway refuses the call, and with the error of `fetch` if there is no answer.
 *
 * @example
 * const control = createControlClient({ url: 'http://127.0.0.1:8080', token: 'ctl_…' });
 * const params = { path: { terminalId: 'V400m-100000001' } };
 * await control.POST('/control/terminals/{terminalId}/tap', { params, body: { card: 'visa-credit' } });
 */
export function createControlClient(options: ClientOptions): ControlClient {
  return {
    ...createApiClient<ControlPaths>(options),
    stream: async <Path extends keyof Streams>(path: Path, request: StreamRequest<Path> = {}) => {
      const address = fillPath(path, request.params as CallParts['params']);
      const accept = 'text/event-stream';
      const response = await send(options, 'GET', address, undefined, { ...request, accept });
      if (!response.ok || !response.body)
        throw new ApiError(`GET ${address}`, response, await response.text());
      return liveStream<Streams[Path]>(response.body, request.signal);
    },
  };
}

function liveStream<Data>(body: ReadableStream<Uint8Array>, signal?: AbortSignal): LiveStream<Data> {
  let last: string | undefined;
  const given = async function* () {
    for await (const { id, data } of eventsIn(body, signal)) {
      last = id ?? last;
      yield JSON.parse(data) as Data;
    }
  };
  const events = given();
  return {
    [Symbol.asyncIterator]: () => events,
    get last() {
      return last;
    },
  };
}

async function* eventsIn(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<EventSourceMessage> {
  let arrived: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => arrived.push(event) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  // Node's fetch ignores its signal once the request has been garbage-collected. Without
  // this listener the body would then never end.
  const cancel = () => void reader.cancel().catch(() => {});
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      parser.feed(decoder.decode(read.value, { stream: true }));
      yield* arrived;
      arrived = [];
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}
