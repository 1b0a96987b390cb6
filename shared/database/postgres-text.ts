/**
 * Makes a value fit for PostgreSQL: null characters in a text are replaced. A terminal may send such a character. If
 * the value were refused, the terminal would send it again and again.
 */
export function replaceNullCharacters<Value>(value: Value): Value | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}
