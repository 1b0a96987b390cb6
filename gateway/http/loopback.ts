import type { IncomingMessage } from 'node:http';

const loopback = /^(::ffff:)?127(\.\d{1,3}){3}$|^::1$/;
/** Headers that a proxy adds. Behind a proxy on this machine every request comes from loopback. */
const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

/** Whether a request was made on this machine, and was not passed on by a proxy there. */
export function isFromLoopback({ socket, headers }: IncomingMessage): boolean {
  return loopback.test(socket.remoteAddress ?? '') && forwarding.every((name) => headers[name] === undefined);
}
