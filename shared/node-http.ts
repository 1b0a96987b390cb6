import type { Server } from 'node:http';
import type Https from 'node:https';

/**
 * Node's http and https, for servers and clients. An `import` of such a module would read all of its exports, and some
 * of them load Node's `fetch` and `WebSocket`. That takes a tenth of the time of a start, although pinpad does not use
 * them here.
 */
export const {
  createServer,
  IncomingMessage: NodeRequest,
  request: requestHttp,
  ServerResponse: NodeResponse,
  STATUS_CODES,
} = process.getBuiltinModule('node:http');

/** Calls https.request. Loads https only at this call, because loading https with TLS takes 13 ms. */
export function requestHttps(...args: Parameters<typeof Https.request>): ReturnType<typeof Https.request> {
  return process.getBuiltinModule('node:https').request(...args);
}

/**
 * Makes a server that uses TLS with a certificate and its key. Loads https only at this call, like
 * {@link requestHttps}.
 */
export function createSecureServer(options: Https.ServerOptions): Server {
  return process.getBuiltinModule('node:https').createServer(options);
}

export function isSecure(server: Server): boolean {
  return 'setSecureContext' in server;
}
