import type { Socket } from 'node:net';
import { delay, systemClock } from '../../../../shared/clock.ts';
import type { AttackTarget } from '../target.ts';

const beginnings = [
  'GET /terminals HT',
  'GET /terminals HTTP/1.1\r\nHost: pinpad\r\nX-Slow: ',
  'POST /pay/none HTTP/1.1\r\nHost: pinpad\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9000\r\n\r\na',
  'POST /pay/none HTTP/1.1\r\nHost: pinpad\r\nTransfer-Encoding: chunked\r\n\r\n',
  '',
];

/** Sends requests byte by byte, and opens connections on which no request begins. */
export async function sendSlowRequestHeads(target: AttackTarget): Promise<void> {
  const dripping = new Set<Socket>();
  while (!target.over) {
    for (const socket of dripping) if (socket.writable) socket.write('a');
    for (let more = target.random.int(10); more > 0; more--) {
      const socket = target.sockets.dial('a request that never ends', [target.one(beginnings)]);
      if (!socket) continue;
      dripping.add(socket);
      socket.on('close', () => dripping.delete(socket));
    }
    await delay(systemClock, 200);
  }
}
