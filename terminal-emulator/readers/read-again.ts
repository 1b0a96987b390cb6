/** The pause, in ms, between the failed first try to read a card and the second try. */
export const firstReadAgainDelayMs = 250;
const longestReadAgainMs = 2_000;

/** Gives the pause before the next try: twice the last pause, but at most the longest pause. */
export function nextReadAgainDelayMs(lastMs: number): number {
  return Math.min(lastMs * 2, longestReadAgainMs);
}
