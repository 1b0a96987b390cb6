/**
 * The target of an HTTP request as path and query, also where a proxy was sent it in absolute form (RFC 9112 §3.2.2).
 * Undefined for what is neither. Text that a stranger chose must not go through `new URL` with a base: `//host:port/`
 * names another host there, or throws.
 */
export function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.pathname + url.search : undefined;
}

/** The path and the query, without the question mark, of a target in origin form. */
export function splitTarget(target: string): [path: string, query: string] {
  const at = target.indexOf('?');
  return at === -1 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}
