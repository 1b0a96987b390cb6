import type { Server } from 'node:http';
import type Https from 'node:https';

/**
 * Node's http and https, for those that serve or call. An `import` of either would read all that the module exports,
 * getters among it that load Node's `fetch` and `WebSocket`: a tenth of a start, for things that are not used here.
 */
export const {
  createServer,
  IncomingMessage: NodeRequest,
  request: requestHttp,
  ServerResponse: NodeResponse,
  STATUS_CODES,
} = process.getBuiltinModule('node:http');

/** Loads https when it is called: with TLS under it, it is another 13 ms of a start. */
export function requestHttps(...args: Parameters<typeof Https.request>): ReturnType<typeof Https.request> {
  return process.getBuiltinModule('node:https').request(...args);
}

/** A server that speaks TLS with a certificate and its key, loaded as {@link requestHttps} is. */
export function createSecureServer(options: Https.ServerOptions): Server {
  return process.getBuiltinModule('node:https').createServer(options);
}

export function isSecure(server: Server): boolean {
  return 'setSecureContext' in server;
}
