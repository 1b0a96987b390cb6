/** What came from the keyboard or the mouse, cut into single keys and clicks. */
interface SplitInput {
  readonly pieces: string[];
  /** The beginning of a sequence whose end has not arrived. */
  readonly rest: string;
}

/**
 * Of ECMA-48 only what keys and mice send, so that the track of a swipe that comes behind Alt+[ or Alt+O is not taken
 * for the rest of a sequence: no intermediate character but those of rxvt's keys, and no endless parameters.
 */
const complete = /^(?:\x1b\[M[\s\S]{3}|\x1b\[[0-?]{0,24}[ $]?[@-~]|\x1bO\d?[A-Za-z]|[\s\S])/u;
const beginning = /^\x1b(?:\[M[\s\S]{0,2}|\[[0-?]{0,24}[ $]?|O\d?)$/;
const pointerMoved = /^\x1b\[<(\d+);/;
const motionBit = 32;

/**
 * Cuts a chunk of terminal input into sequences. blessed looks for a mouse click only at the start of a chunk
 * and then drops the rest of it, takes a drag for another click, and an escape followed by a letter for Alt;
 * fast typing, a slow line or tmux put several keys into one chunk.
 */
export function splitInput(chunk: string): SplitInput {
  const pieces: string[] = [];
  let rest = chunk;
  while (rest !== '') {
    if (beginning.test(rest)) return { pieces, rest };
    const piece = complete.exec(rest)?.[0] ?? rest;
    rest = rest.slice(piece.length);
    if (!isMotion(piece)) pieces.push(piece);
  }
  return { pieces, rest: '' };
}

function isMotion(piece: string): boolean {
  const button = pointerMoved.exec(piece)?.[1];
  return button !== undefined && (Number(button) & motionBit) !== 0;
}
