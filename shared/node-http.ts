import type { Server } from 'node:http';
import type Https from 'node:https';

/**
 * Node's http and https, for servers and clients. They are not imported, because an `import` would read all of their
 * exports. Some of these exports load Node's `fetch` and `WebSocket`, which pinpad does not use here. That would take a
 * tenth of the time of a start.
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

export function isTlsServer(server: Server): boolean {
  return 'setSecureContext' in server;
}
