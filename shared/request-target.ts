/**
 * Returns the target of an HTTP request as path and query. The target can be in origin form, or in absolute form as for
 * a proxy (RFC 9112 §3.2.2). Returns undefined if the target is in neither form. Never pass a client's text to
 * `new URL` with a base: `new URL` would replace the base's host if the text is `//host:port/`, and would throw for
 * some texts.
 */
export function toOriginForm(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.pathname + url.search : undefined;
}

/** Returns the path and the query, without the question mark, of a target in origin form. */
export function splitTarget(target: string): [path: string, query: string] {
  const at = target.indexOf('?');
  return at === -1 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}
