/**
 * Returns the target of an HTTP request as path and query, even if the client wrote it in absolute form, as for a proxy
 * (RFC 9112 §3.2.2). Returns undefined for a target of neither form. A text that a client chose must not be passed to
 * `new URL` with a base: `//host:port/` leads to another host there, or throws.
 */
export function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.pathname + url.search : undefined;
}

/** Returns the path and the query, without the question mark, of a target in origin form. */
export function splitTarget(target: string): [path: string, query: string] {
  const at = target.indexOf('?');
  return at === -1 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}
