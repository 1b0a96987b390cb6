import type { IncomingMessage } from 'node:http';

const loopback = /^(::ffff:)?127(\.\d{1,3}){3}$|^::1$/;
/**
 * The headers that proxies add. If there is a proxy on this machine, every request arrives from loopback. Then only
 * these headers show that a request was made on another machine.
 */
const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

/**
 * Returns whether a request was made on this machine. Returns false if a proxy on this machine passed the request on.
 */
export function isFromLoopback({ socket, headers }: IncomingMessage): boolean {
  return loopback.test(socket.remoteAddress ?? '') && forwarding.every((name) => headers[name] === undefined);
}
