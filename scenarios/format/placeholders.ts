/**
 * A name in angle brackets, such as `<amount>` or `<sale.answer.body.identifier>`. The value of the name replaces
 * this text before the step runs.
 */
const placeholder = /<([a-zA-Z][\w-]*(?:\.[\w-]+)*)>/g;

/** Returns the value of a name. Undefined if the name has no value. */
export type ValueLookup = (name: string) => unknown;

/**
 * Fills in the placeholders in every text inside `value`. If a text is only a placeholder, the placeholder's value
 * replaces the text, even if this value is a number or an object. Names without a value stay unchanged.
 */
export function fillPlaceholders(value: unknown, values: ValueLookup): unknown {
  if (typeof value === 'string') return filledText(value, values);
  if (Array.isArray(value)) return value.map((one) => fillPlaceholders(one, values));
  if (value && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([field, one]) => [field, fillPlaceholders(one, values)]),
    );
  return value;
}

function filledText(text: string, values: ValueLookup): unknown {
  const [whole] = text.matchAll(placeholder);
  if (whole && whole[0] === text) return values(whole[1] ?? '') ?? text;
  return text.replaceAll(placeholder, (found, name: string) => {
    const value = values(name);
    if (value === undefined) return found;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
}

/** Returns the names of the placeholders in `value`. */
export function placeholdersIn(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(placeholder)].map(([, name]) => name ?? '');
  if (!value || typeof value !== 'object') return [];
  return Object.values(value).flatMap(placeholdersIn);
}

/** Returns the value at a path inside `root`. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      value && typeof value === 'object' ? (value as Record<string, unknown>)[step] : undefined,
    root,
  );
}
