/** The characters that are not text: half a surrogate pair, and control characters except tab and line ends (B120). */
const notText = /[[\p{Cs}\p{Cc}]--[\t\n\r]]/v;
const notTextAnywhere = new RegExp(notText, 'gv');

/**
 * Finds the strings and the field names in a JSON value that are not text. Calls `found` with the path of each such
 * string or field name, until `found` returns false. In the path, `?` replaces each character that is not text.
 */
export function visitInvalidStrings(
  value: unknown,
  found: (path: string, message: string) => boolean,
): boolean {
  return search(value, [], found);
}

/**
 * Turns a string that came from outside into text. Each character that is not text becomes U+FFFD. This is needed
 * because, for example, PostgreSQL cannot store a null character.
 */
export function replaceInvalidCharacters(given: string): string {
  return given.replaceAll(notTextAnywhere, '\ufffd');
}

/** The path is turned into text only if the search finds something that is not text, which is rare. */
function search(value: unknown, at: string[], found: (path: string, message: string) => boolean): boolean {
  if (typeof value === 'string') return !notText.test(value) || found(pathOf(at), faultOf(value));
  if (typeof value !== 'object' || value === null) return true;
  for (const name of Object.keys(value)) {
    at.push(name);
    if (notText.test(name) && !found(pathOf(at), `its name ${faultOf(name)}`)) return false;
    if (!search((value as Record<string, unknown>)[name], at, found)) return false;
    at.pop();
  }
  return true;
}

function pathOf(names: readonly string[]): string {
  return names.map((name) => name.replaceAll(notTextAnywhere, '?')).join('.');
}

function faultOf(text: string): string {
  return text.isWellFormed() ? 'has a control character' : 'must not have half a surrogate pair';
}
