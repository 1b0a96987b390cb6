/**
 * Returns whether a Prefer header asks for an answer at once (B46). By RFC 7240, commas separate preferences,
 * semicolons separate parameters, and names ignore case. Unknown preferences are ignored. If respond-sync or
 * respond-async is given more than once, or if both are given, the first of them counts.
 */
export function prefersAsync(header: string | undefined): boolean {
  if (header === undefined) return false;
  for (const preference of split(header, ',')) {
    const name = (split(preference, ';')[0] ?? '').split('=')[0]?.trim().toLowerCase();
    if (name === 'respond-async') return true;
    if (name === 'respond-sync') return false;
  }
  return false;
}

/** Splits a text at `separator`. A separator within a quoted string does not count. */
function split(text: string, separator: string): string[] {
  const parts = [''];
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (quoted && character === '\\') {
      parts.push(parts.pop() + character + (text[++at] ?? ''));
      continue;
    }
    if (character === '"') quoted = !quoted;
    if (character === separator && !quoted) parts.push('');
    else parts.push(parts.pop() + character);
  }
  return parts;
}
