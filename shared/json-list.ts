/**
 * Joins JSON texts into a list without copying them, unlike `join`. If the texts have some kilobytes each, copying
 * takes half of the time of `join`. The text that contains the list is copied later anyway, and a single copy is
 * enough.
 */
export function joinJsonTexts(texts: readonly string[]): string {
  let list = '';
  for (const text of texts) list = list === '' ? text : `${list},${text}`;
  return `[${list}]`;
}
