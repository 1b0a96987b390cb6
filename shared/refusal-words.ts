/**
 * Writes a refusal reason as a sentence: `128 PIN tries exceeded` becomes "PIN tries exceeded (128)", so that the code
 * is not mistaken for a number of tries (B260). A reason without a code is not changed.
 */
export function describeRefusalReason(reason: string, ...more: readonly string[]): string {
  const [, code, text = reason] = /^(\d{3}) (.+)$/s.exec(reason) ?? [];
  const notes = [code, ...more].filter((note) => note !== undefined);
  return notes.length > 0 ? `${text} (${notes.join(', ')})` : text;
}
