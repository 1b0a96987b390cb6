import type { Duplex } from 'node:stream';
import type { Clock } from '../clock.ts';

/**
 * Sends an answer on a bare socket. Then destroys the socket when the other end has closed its half too, or after
 * `lingerMs`. Bytes that arrive meanwhile are read and dropped. If such bytes were not read, the operating system would
 * end the connection with a reset, and a reset can overtake the answer. A socket gets only one answer. For example, if
 * the answer said that no request came in time, a request that comes later gets no answer.
 */
export function answerAndEndConnection(
  socket: Duplex,
  answer: string,
  lingerMs: number,
  realClock: Clock,
): void {
  if (socket.writableEnded) return;
  const limit = realClock.setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => realClock.clearTimeout(limit));
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.end(answer);
}
