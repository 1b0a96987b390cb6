import type { JournalEntry } from '../../../shared/journal.ts';

/**
 * A request of the journal as a command for a shell. Its token is in no journal: a variable stands in its place.
 *
 * @example
 * curl -sS "$URL/terminals" -H "Authorization: Bearer $TOKEN"
 */
export function curlOf({ data }: JournalEntry<'http.received'>): string {
  const { method, path, headers = {}, body } = data;
  const token = path.startsWith('/control') ? '$CONTROL' : '$TOKEN';
  const parts = [`curl -sS "$URL"${quoted(path)}`];
  if (method !== 'GET') parts[0] = `curl -sS -X ${method} "$URL"${quoted(path)}`;
  parts.push(`-H "Authorization: Bearer ${token}"`);
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined)
    parts.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`);
  return parts.join(' \\\n  ');
}

/** Text that a shell takes as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
