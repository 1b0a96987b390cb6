import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AnyEndpoint } from '../../gateway/http/endpoint.ts';
import type { Exchange } from './conformance.ts';

type Endpoints = () => Promise<readonly AnyEndpoint[]>;

/**
 * Calls `seen` for every request to a gateway of this process. `seen` gets the request, its answer and the gateway's
 * endpoints. This function observes the HTTP server itself, so it works with any client.
 */
export function captureExchanges(seen: (exchange: Exchange, endpoints: Endpoints) => void): {
  announce(message: unknown): void;
} {
  const gateways = new WeakMap<Server, Endpoints>();
  subscribe('http.server.request.start', (message) => {
    const { server, request, response } = message as {
      server: Server;
      request: IncomingMessage;
      response: ServerResponse;
    };
    const endpoints = gateways.get(server);
    if (endpoints) capture(request, response, (exchange) => seen(exchange, endpoints));
  });
  return {
    announce(message) {
      const { server, endpoints } = message as { server: Server; endpoints: Endpoints };
      gateways.set(server, endpoints);
    },
  };
}

function capture(
  request: IncomingMessage,
  response: ServerResponse,
  seen: (exchange: Exchange) => void,
): void {
  const asked: Buffer[] = [];
  const answered: Buffer[] = [];
  const target = request.url ?? '';
  let headers: Record<string, unknown> = {};
  const { push } = request;
  request.push = (chunk, ...rest) => {
    if (chunk) asked.push(Buffer.from(chunk));
    return push.call(request, chunk, ...rest);
  };
  onCall(response, 'writeHead', (...given) => {
    const last = given.at(-1);
    if (typeof last === 'object') headers = inLowerCase(last as object);
  });
  const keep = (chunk: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    if (!isStream(headers)) answered.push(Buffer.from(chunk as string));
  };
  onCall(response, 'write', keep);
  onCall(response, 'end', keep);
  response.once('finish', () =>
    seen({
      method: request.method ?? '',
      target,
      requestHeaders: request.headers,
      requestBody: Buffer.concat(asked).toString(),
      status: response.statusCode,
      headers: { ...response.getHeaders(), ...headers },
      body: Buffer.concat(answered).toString(),
    }),
  );
}

/** Changes a method so that each call first calls `listener` with the same arguments. */
function onCall(
  response: ServerResponse,
  method: 'writeHead' | 'write' | 'end',
  listener: (...given: unknown[]) => void,
): void {
  const own = response[method] as (...given: unknown[]) => unknown;
  Object.assign(response, {
    [method]: (...given: unknown[]) => {
      listener(...given);
      return own.apply(response, given);
    },
  });
}

function inLowerCase(headers: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Whether the answer is a stream of server-sent events, which continue until the client disconnects. */
function isStream(headers: Record<string, unknown>): boolean {
  return String(headers['content-type']).startsWith('text/event-stream');
}
