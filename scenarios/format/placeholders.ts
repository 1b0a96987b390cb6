/** `<amount>`, `<sale.answer.body.identifier>`: a name in angle brackets, filled in before the step is done. */
const placeholder = /<([a-zA-Z][\w-]*(?:\.[\w-]+)*)>/g;

/** Gives the value of a name; undefined if the name is not defined. */
export type Values = (name: string) => unknown;

/**
 * Fills the placeholders in every text of `value`. A text that is just one placeholder becomes the value itself, a number or an
 * object; undefined names stay as they are.
 */
export function filled(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return filledText(value, values);
  if (Array.isArray(value)) return value.map((one) => filled(one, values));
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, filled(one, values)]));
  return value;
}

function filledText(text: string, values: Values): unknown {
  const [whole] = text.matchAll(placeholder);
  if (whole && whole[0] === text) return values(whole[1] ?? '') ?? text;
  return text.replaceAll(placeholder, (found, name: string) => {
    const value = values(name);
    if (value === undefined) return found;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
}

/** The names of the placeholders in `value`. */
export function placeholdersIn(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(placeholder)].map(([, name]) => name ?? '');
  if (!value || typeof value !== 'object') return [];
  return Object.values(value).flatMap(placeholdersIn);
}

/** The value at a dotted path inside a name's value. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      value && typeof value === 'object' ? (value as Record<string, unknown>)[step] : undefined,
    root,
  );
}
