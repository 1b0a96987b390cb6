/** With a line's end, for those who read it in a shell. */
export function jsonText(body: unknown): string {
  return `${JSON.stringify(body)}\n`;
}
