/** The input from keyboard and mouse, cut into single keys and clicks. */
interface SplitInput {
  readonly pieces: string[];
  /** The beginning of the sequence for a key or a click, if the end of this sequence has not arrived yet. */
  readonly rest: string;
}

/**
 * Matches the sequences that keys and mice send. They are only a part of ECMA-48. Sequences with very long parameters
 * do not match. Sequences with intermediate characters match only if the characters are those of rxvt's keys. Without
 * these limits, if a user presses Alt+[ or Alt+O before a swipe, the track of the swipe would count as the rest of the
 * sequence that the key began.
 */
const complete = /^(?:\x1b\[M[\s\S]{3}|\x1b\[[0-?]{0,24}[ $]?[@-~]|\x1bO\d?[A-Za-z]|[\s\S])/u;
const beginning = /^\x1b(?:\[M[\s\S]{0,2}|\[[0-?]{0,24}[ $]?|O\d?)$/;
const pointerMoved = /^\x1b\[<(\d+);/;
const motionBit = 32;

/**
 * Cuts a chunk of terminal input into sequences. If a user types fast, or uses a slow line or tmux, one chunk may
 * contain several keys. Blessed cannot handle such a chunk: it looks for a mouse click only at the start of a chunk,
 * and then ignores the rest. In addition, blessed treats a drag as another click, and treats an escape and a following
 * letter as Alt with that letter.
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
