import type { ServerResponse } from 'node:http';
import type { StreamOutput } from './endpoint.ts';

/**
 * Pieces are written together once they have this many characters: a write for each piece costs more than the bytes
 * that it sends.
 */
const enough = 65_536;

/**
 * Ends a response with these pieces. Each piece is made when the client has read the ones before it; a client that is
 * gone gets none.
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

/** A stream is cut off if its client has not read this many bytes of it. */
const longestBacklog = 1_000_000;

/** Writes a stream, and ends the response when the stream is over. */
export async function writeStream(
  response: ServerResponse,
  run: (output: StreamOutput) => Promise<void>,
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

/** Resolves when the client has read what waits for it, or is gone. */
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
