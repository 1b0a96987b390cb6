/**
 * Returns the index of the first visible line in a list of `count` lines, of which `rows` are visible. If possible,
 * the selected line is in the middle.
 */
export function firstVisibleIndex(selected: number, count: number, rows: number): number {
  return Math.max(0, Math.min(selected - Math.floor(rows / 2), count - rows));
}
