/** The input from keyboard and mouse, cut into single keys and clicks. */
interface SplitInput {
  readonly pieces: string[];
  /** The beginning of a key's or click's sequence, if its end has not arrived yet. */
  readonly rest: string;
}

/**
 * Matches the sequences that keys and mice send, which are only a part of ECMA-48. It does not match endless
 * parameters, or intermediate characters other than those of rxvt's keys. If it did, the track of a swipe that comes
 * after Alt+[ or Alt+O would count as the rest of that sequence.
 */
const complete = /^(?:\x1b\[M[\s\S]{3}|\x1b\[[0-?]{0,24}[ $]?[@-~]|\x1bO\d?[A-Za-z]|[\s\S])/u;
const beginning = /^\x1b(?:\[M[\s\S]{0,2}|\[[0-?]{0,24}[ $]?|O\d?)$/;
const pointerMoved = /^\x1b\[<(\d+);/;
const motionBit = 32;

/**
 * Cuts a chunk of terminal input into sequences. Fast typing, a slow line or tmux put several keys into one chunk, and
 * blessed does not cope with that. Blessed looks for a mouse click only at the start of a chunk, and then drops the
 * rest. Blessed also takes a drag for another click, and an escape followed by a letter for Alt.
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
