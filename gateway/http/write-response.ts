import type { ServerResponse } from 'node:http';
import type { StreamWriter } from './endpoint.ts';

/**
 * Pieces are joined until the text has this many characters. Then the text is written. To write each piece separately
 * would cost more than to send the bytes.
 */
const enough = 65_536;

/**
 * Writes a response in these pieces, and ends the response. If the client reads slowly, no more pieces are made until
 * the client has read the former pieces. If the client has hung up, no more pieces are made.
 */
export async function writePieces(response: ServerResponse, pieces: Iterable<string>): Promise<void> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < enough) continue;
    response.write(text);
    text = '';
    await drained(response);
    if (response.destroyed) return;
  }
  response.end(text);
}

/** If more than this many bytes of a stream wait for its client, the stream is cut off. */
const longestBacklog = 1_000_000;

/** Writes a stream, and ends the response when the stream has ended. */
export async function writeStream(
  response: ServerResponse,
  run: (output: StreamWriter) => Promise<void>,
): Promise<void> {
  const write = (chunk: string | Uint8Array) => {
    if (response.destroyed) return false;
    if (response.writableLength <= longestBacklog) return response.write(chunk);
    response.destroy();
    return false;
  };
  await run({ write, drained: () => drained(response) });
  response.end();
}

/** Resolves when the client has read all waiting data, or has hung up. */
function drained(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.once('drain', settle).once('close', settle);
  });
}
