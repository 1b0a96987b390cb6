/**
 * Returns the first of `count` lines that is visible in a window of `rows`, with the selected line in the middle if
 * possible.
 */
export function windowStart(selected: number, count: number, rows: number): number {
  return Math.max(0, Math.min(selected - Math.floor(rows / 2), count - rows));
}
