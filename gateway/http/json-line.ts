/** Writes JSON text with a line end, for people who read it in a shell. */
export function formatJsonLine(body: unknown): string {
  return `${JSON.stringify(body)}\n`;
}
