/** `<amount>`, `<sale.answer.body.identifier>`: a name in angle brackets, filled in before the step is done. */
const placeholder = /<([a-zA-Z][\w-]*(?:\.[\w-]+)*)>/g;

/** What a name stands for; undefined if it is not defined. */
export type Values = (name: string) => unknown;

/**
 * Fills the placeholders of every text in `value`. A text that is one placeholder and nothing else becomes the
 * value itself, number or object; undefined names stay as they are.
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

/** The value at a dotted path of what a name stands for. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      value && typeof value === 'object' ? (value as Record<string, unknown>)[step] : undefined,
    root,
  );
}
