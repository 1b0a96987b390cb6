import type { Duplex } from 'node:stream';
import type { Clock } from '../clock.ts';

/**
 * Answers on a bare socket, then destroys the socket: when the other end has closed its half too, and after
 * `lingerMs` at the latest. What arrives meanwhile is read and dropped; left unread, it would turn the close into a
 * reset, which can overtake the answer. A socket that has had an answer gets no other: a request may come in late, after
 * the answer that it did not come.
 */
export function endConnection(socket: Duplex, answer: string, lingerMs: number, realClock: Clock): void {
  if (socket.writableEnded) return;
  const limit = realClock.setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => realClock.clearTimeout(limit));
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.end(answer);
}
