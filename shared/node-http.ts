import type { Server } from 'node:http';
import type Https from 'node:https';

/**
 * Node's http and https, for servers and clients. An `import` of either would read all exports of the module, among
 * them getters that load Node's `fetch` and `WebSocket`: a tenth of a start, for things that are not used here.
 */
export const {
  createServer,
  IncomingMessage: NodeRequest,
  request: requestHttp,
  ServerResponse: NodeResponse,
  STATUS_CODES,
} = process.getBuiltinModule('node:http');

/** Calls https.request, and loads https only then: together with TLS, loading it takes another 13 ms of a start. */
export function requestHttps(...args: Parameters<typeof Https.request>): ReturnType<typeof Https.request> {
  return process.getBuiltinModule('node:https').request(...args);
}

/** Makes a server that speaks TLS with a certificate and its key; https is loaded as in {@link requestHttps}. */
export function createSecureServer(options: Https.ServerOptions): Server {
  return process.getBuiltinModule('node:https').createServer(options);
}

export function isSecure(server: Server): boolean {
  return 'setSecureContext' in server;
}
