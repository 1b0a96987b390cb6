/**
 * A refusal reason in a sentence: `128 PIN tries exceeded` as "PIN tries exceeded (128)", so that nobody takes the code for a
 * count (B260). Whatever has no code stays as it is.
 */
export function refusalWords(reason: string, ...more: readonly string[]): string {
  const [, code, text = reason] = /^(\d{3}) (.+)$/s.exec(reason) ?? [];
  const notes = [code, ...more].filter((note) => note !== undefined);
  return notes.length > 0 ? `${text} (${notes.join(', ')})` : text;
}
