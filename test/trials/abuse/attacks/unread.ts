import { delay, systemClock } from '../../../../shared/clock.ts';
import type { AttackTarget } from '../target.ts';

/** Asks for large answers and for streams, and never reads them. */
export async function leaveAnswersUnread(target: AttackTarget): Promise<void> {
  const head = `HTTP/1.1\r\nHost: pinpad\r\nAuthorization: Bearer ${target.world.controlToken}\r\n`;
  const streams = ['/control/journal/stream?since=0', '/control/events/stream'];
  const open: { destroy(): void }[] = [];
  while (!target.over) {
    // the answers are larger than the system's own buffers
    const journals = `GET /control/journal?limit=10000 ${head}\r\n`.repeat(10);
    target.sockets.dial('unread answers', [journals], false);
    // While nothing is written to a stream, a client that does not read does no harm. So the stream stays until the
    // client ends it.
    const stream = target.sockets.dial('a stream', [`GET ${target.one(streams)} ${head}\r\n`], false);
    if (stream) open.push(stream);
    await delay(systemClock, 300);
  }
  for (const each of open) each.destroy();
}
