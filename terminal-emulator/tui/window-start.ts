/** The first of `count` lines in a window of `rows`, so that the selected one is in its middle where it can be. */
export function windowStart(selected: number, count: number, rows: number): number {
  return Math.max(0, Math.min(selected - Math.floor(rows / 2), count - rows));
}
