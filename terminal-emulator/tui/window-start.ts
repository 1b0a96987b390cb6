/**
 * Returns which of `count` lines is the first visible one, if `rows` lines are visible. If possible, the selected line
 * is in the middle.
 */
export function windowStart(selected: number, count: number, rows: number): number {
  return Math.max(0, Math.min(selected - Math.floor(rows / 2), count - rows));
}
