/** The input of keyboard and mouse, cut into single keys and clicks. */
interface SplitInput {
  readonly pieces: string[];
  /** The beginning of a sequence whose end has not arrived yet. */
  readonly rest: string;
}

/**
 * Matches the sequences that keys and mice send, which are only a part of ECMA-48. Intermediate characters other than
 * those of rxvt's keys, and endless parameters, are left out: otherwise, after Alt+[ or Alt+O, the track of a swipe
 * would count as the rest of a sequence.
 */
const complete = /^(?:\x1b\[M[\s\S]{3}|\x1b\[[0-?]{0,24}[ $]?[@-~]|\x1bO\d?[A-Za-z]|[\s\S])/u;
const beginning = /^\x1b(?:\[M[\s\S]{0,2}|\[[0-?]{0,24}[ $]?|O\d?)$/;
const pointerMoved = /^\x1b\[<(\d+);/;
const motionBit = 32;

/**
 * Cuts a chunk of terminal input into sequences, because fast typing, a slow line or tmux put several keys into one
 * chunk. Blessed looks for a mouse click only at the start of a chunk and then drops the rest of the chunk; it mistakes
 * a drag for another click, and an escape followed by a letter for Alt.
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
