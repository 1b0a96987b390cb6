/**
 * Makes a value one that PostgreSQL can store, by removing null characters from its text. A terminal may send one; if
 * the value were refused for it, the terminal would send it again and again.
 */
export function withoutNull<Value>(value: Value): Value | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}
