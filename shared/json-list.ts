/**
 * Texts of JSON as a list. They are not copied, as `join` does: for texts of some kilobytes that is half of the work, and what
 * the list becomes part of is copied once in any case.
 */
export function jsonList(texts: readonly string[]): string {
  let list = '';
  for (const text of texts) list = list === '' ? text : `${list},${text}`;
  return `[${list}]`;
}
