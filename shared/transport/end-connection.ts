import type { Duplex } from 'node:stream';
import type { Clock } from '../clock.ts';

/**
 * Answers on a bare socket and gives the socket up: as soon as the other end has closed its half too, and after
 * `lingerMs` whatever it does. What still comes meanwhile is read and thrown away; left unread it would turn the end
 * into a reset, which can overtake the answer.
 */
export function endConnection(socket: Duplex, answer: string, lingerMs: number, realClock: Clock): void {
  const limit = realClock.setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => realClock.clearTimeout(limit));
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.end(answer);
}
