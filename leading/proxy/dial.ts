import { type ClientRequest, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Clock } from '../../shared/clock.ts';
import type { UsersProxyFinder } from './users-proxy.ts';

/** The milliseconds within which the connection to a host must be made. */
const limitMs = 30_000;

/**
 * Connects to a host whose calls are not redirected, through the user's own proxy if there is one for this host.
 *
 * @throws Error with the reason
 */
export async function dialUnredirectedHost(
  host: string,
  port: number,
  proxies: UsersProxyFinder,
  clock: Clock,
): Promise<Socket> {
  const proxy = proxies(host, port);
  const dialling = proxy ? dialThrough(proxy, host, port) : dialDirectly(host, port);
  const limit = clock.setTimeout(() => dialling.giveUp(), limitMs);
  try {
    return await dialling.socket;
  } finally {
    clock.clearTimeout(limit);
  }
}

interface Dialling {
  readonly socket: Promise<Socket>;
  giveUp(): void;
}

function dialDirectly(host: string, port: number): Dialling {
  const socket = connect({ host, port, allowHalfOpen: true });
  return {
    socket: new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(socket));
      socket.once('error', (error: NodeJS.ErrnoException) =>
        reject(new Error(`${host}:${port} cannot be reached: ${error.code ?? error.message}`)),
      );
    }),
    giveUp: () => socket.destroy(new Error('it does not answer')),
  };
}

function dialThrough(proxy: URL, host: string, port: number): Dialling {
  const asked = askForTunnel(proxy, host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);
  const failed = (why: string) =>
    new Error(`the proxy ${proxy.host} did not connect to ${host}:${port}: ${why}`);
  return {
    socket: new Promise((resolve, reject) => {
      asked.once('connect', (answer, socket: Socket, head) => {
        if (answer.statusCode !== 200) {
          socket.destroy();
          return reject(failed(`${answer.statusCode} ${answer.statusMessage}`));
        }
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      // Some proxies refuse a tunnel with an ordinary answer, for which Node emits `response` and not `connect`.
      asked.once('response', (answer) => reject(failed(`${answer.statusCode} ${answer.statusMessage}`)));
      asked.once('error', (error: NodeJS.ErrnoException) => reject(failed(error.code ?? error.message)));
    }),
    giveUp: () => asked.destroy(new Error('it does not answer')),
  };
}

function askForTunnel(proxy: URL, authority: string): ClientRequest {
  const { username, password } = proxy;
  const credentials = Buffer.from(`${decodeIfPossible(username)}:${decodeIfPossible(password)}`);
  const headers = {
    host: authority,
    ...(username ? { 'proxy-authorization': `Basic ${credentials.toString('base64')}` } : {}),
  };
  const asked = (proxy.protocol === 'https:' ? requestTls : request)({
    ...{ host: proxy.hostname.replace(/^\[|\]$/g, ''), port: proxy.port || undefined },
    ...{ method: 'CONNECT', path: authority, headers, agent: false },
  });
  asked.end();
  return asked;
}

/** Decodes a part of a URL. A part whose percent signs encode no text is returned unchanged. */
function decodeIfPossible(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
