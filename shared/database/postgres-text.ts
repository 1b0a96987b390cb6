/**
 * A value as PostgreSQL can store it: its text has no null character. A terminal may send one, and what is refused for it would be
 * sent again and again.
 */
export function withoutNull<Value>(value: Value): Value | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}
