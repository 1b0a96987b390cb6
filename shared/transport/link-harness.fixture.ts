import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createRuntime } from '../create-runtime.ts';
import type { Runtime } from '../runtime.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import type { Link, MessageHandler } from './link.ts';
import { dialLink } from './link-client.ts';
import { LinkServer } from './link-server.ts';
import { SharedLinkDialer } from './shared-link-dialer.ts';
import type { ConnectOptions } from './socket.ts';

export type Dial = (options: ConnectOptions, ready: (link: Link) => void) => Promise<Link>;

/** The two kinds of connection that can carry a link. A link behaves in the same way on both kinds. */
export const linkDialers: [string, (runtime: Runtime) => Dial][] = [
  ['a socket of its own', (runtime) => (options, ready) => dialLink(options, runtime, ready)],
  [
    'a channel of a shared socket',
    (runtime) => {
      const sockets = new SharedLinkDialer(runtime, () => true);
      return (options, ready) => sockets.dial(options, ready);
    },
  ],
];

/** Makes links over a real socket, with both of their ends on one virtual clock. */
export async function createLinkHarness(
  dialler: (runtime: Runtime) => Dial,
  serverHandler: MessageHandler = () => {},
  runtime: Runtime = createRuntime({ clock: 'virtual', seed: 1 }),
) {
  const clock = runtime.clock as VirtualClock;
  const server = createServer();
  onTestFinished(() => void server.close().closeAllConnections());
  const accepted: Link[] = [];
  const linkServer = new LinkServer(server, runtime);
  linkServer.serve<{ who: string }>('/here', {
    sharedBy: ({ who }) => who,
    admit: async (request) =>
      request.headers.authorization === 'Bearer right'
        ? { who: String(request.headers['pinpad-poi']) }
        : { refuse: 401, reason: 'wrong key' },
    connected: (link) => {
      link.handle(serverHandler);
      accepted.push(link);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dialling = dialler(runtime);
  const connect = (ready: (link: Link) => void = () => {}, key = 'right', path = '/here') =>
    dialling({ url: url + path, headers: { authorization: `Bearer ${key}` } }, ready);
  /** Counts the sockets that are open at the server. */
  const connections = () =>
    new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
  const settled = () => clock.inFlight.settled();
  return { runtime, clock, url, accepted, connect, settled, linkServer, connections };
}
