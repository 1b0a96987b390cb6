import type { JournalEntry } from '../../../shared/journal.ts';

/** The headers that curl itself sends, or that the command already contains. */
const ownHeaders = ['authorization', 'content-type', 'user-agent'];

/**
 * Returns a request of the journal as a shell command. The journal has no tokens, so the command uses the variables for
 * address and token that `pinpad up --headless` sets.
 *
 * @example
 * curl -sS "$URL"'/terminals' \
 *   -H "Authorization: Bearer $TOKEN"
 */
export function curlOf({ data }: JournalEntry<'http.received'>): string {
  const { method, path, headers = {}, body } = data;
  const token = path.startsWith('/control') ? '$CONTROL_TOKEN' : '$TOKEN';
  const parts = [`curl -sS${method === 'GET' ? '' : ` -X ${method}`} "$URL"${quoted(path)}`];
  parts.push(`-H "Authorization: Bearer ${token}"`);
  for (const [name, value] of Object.entries(headers))
    if (!ownHeaders.includes(name)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined)
    parts.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`);
  const command = parts.join(' \\\n  ');
  return body === undefined && headers['content-type'] !== undefined
    ? `# The journal does not contain the body of this request: add it with -d\n${command}`
    : command;
}

/** Quotes a text so that a shell takes it unchanged. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
