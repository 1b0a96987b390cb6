/**
 * Makes a value fit for PostgreSQL by removing null characters from its text. A terminal may send such a character; if
 * the value were refused, the terminal would send it again and again.
 */
export function withoutNull<Value>(value: Value): Value | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}
