/** Half a surrogate pair, or a control character other than tab and line ends: no text (B120). */
const notText = /[[\p{Cs}\p{Cc}]--[\t\n\r]]/v;
const notTextAnywhere = new RegExp(notText, 'gv');

/**
 * Finds the strings of a JSON value, names of fields among them, that are not text. `found` is called with each path, with
 * what is no text in it as `?`, until it answers false.
 */
export function findNoText(
  value: unknown,
  found: (path: string, message: string) => boolean,
  path = '',
): boolean {
  if (typeof value === 'string') return !notText.test(value) || found(path, faultOf(value));
  if (typeof value !== 'object' || value === null) return true;
  for (const [name, inner] of Object.entries(value)) {
    const at = `${path === '' ? '' : `${path}.`}${name.replaceAll(notTextAnywhere, '?')}`;
    if (notText.test(name) && !found(at, `its name ${faultOf(name)}`)) return false;
    if (!findNoText(inner, found, at)) return false;
  }
  return true;
}

function faultOf(text: string): string {
  return text.isWellFormed() ? 'has a control character' : 'has half a surrogate pair';
}
