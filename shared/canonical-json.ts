/**
 * Writes JSON with sorted keys. The parts that are still to be written are kept in a list. So the function needs no
 * recursion, and a value can be nested to any depth.
 */
export function stringifyCanonicalJson(value: unknown): string {
  let text = '';
  const left = [leaf(value)];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') text += next;
    else if (Array.isArray(next)) text += list(next, left);
    else text += fields(next as Record<string, unknown>, left);
  }
  return text;
}

/** Returns a simple value as JSON text. Returns a list or an object unchanged, because it is written later. */
function leaf(value: unknown): string | object {
  if (typeof value === 'object' && value !== null) return value;
  return JSON.stringify(value) ?? 'null';
}

/** Returns the beginning of a list as text, and puts the other parts of the list on the stack, the last part first. */
function list(values: readonly unknown[], left: (string | object)[]): string {
  left.push(']');
  for (let at = values.length - 1; at >= 0; at--) {
    left.push(leaf(values[at]));
    if (at > 0) left.push(',');
  }
  return '[';
}

function fields(values: Readonly<Record<string, unknown>>, left: (string | object)[]): string {
  left.push('}');
  const names = Object.keys(values).sort();
  for (let at = names.length - 1; at >= 0; at--) {
    const name = names[at] as string;
    left.push(leaf(values[name]), `${at > 0 ? ',' : ''}${JSON.stringify(name)}:`);
  }
  return '{';
}
