import type { IncomingMessage } from 'node:http';

const loopback = /^(::ffff:)?127(\.\d{1,3}){3}$|^::1$/;
/**
 * The headers that proxies add. If there is a proxy on this machine, every request comes from loopback, so only these
 * headers show that a request comes from elsewhere.
 */
const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

/**
 * Returns whether a request was made on this machine. A request that a proxy on this machine passed on does not count.
 */
export function isFromLoopback({ socket, headers }: IncomingMessage): boolean {
  return loopback.test(socket.remoteAddress ?? '') && forwarding.every((name) => headers[name] === undefined);
}
