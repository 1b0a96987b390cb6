import type { Server } from 'node:http';
import type Https from 'node:https';

/**
 * Node's http and https, for servers and clients. An `import` of either would read all exports of the module, some of
 * which load Node's `fetch` and `WebSocket`. That takes a tenth of a start, for things that are not used here.
 */
export const {
  createServer,
  IncomingMessage: NodeRequest,
  request: requestHttp,
  ServerResponse: NodeResponse,
  STATUS_CODES,
} = process.getBuiltinModule('node:http');

/** Calls https.request, and loads https only then, because loading it with TLS takes another 13 ms of a start. */
export function requestHttps(...args: Parameters<typeof Https.request>): ReturnType<typeof Https.request> {
  return process.getBuiltinModule('node:https').request(...args);
}

/**
 * Makes a server that uses TLS with a certificate and its key. Like {@link requestHttps}, it loads https only when it
 * is called.
 */
export function createSecureServer(options: Https.ServerOptions): Server {
  return process.getBuiltinModule('node:https').createServer(options);
}

export function isSecure(server: Server): boolean {
  return 'setSecureContext' in server;
}
