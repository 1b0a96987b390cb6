import type { ServerResponse } from 'node:http';

/** Pieces leave together up to so many characters: a write for each costs more than what it sends. */
const enough = 65_536;

/** Ends a response with these pieces, each made when the client has taken what was before it; a client that is gone gets none. */
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

/** Resolves when the client has taken what waits for it, or is gone. */
export function drained(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.once('drain', settle).once('close', settle);
  });
}
