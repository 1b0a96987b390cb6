/** Colours texts if the user's terminal can show colours. */
export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  faint(text: string): string;
}

const esc = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[0m`;
export const plainPaint: Paint = { good: (text) => text, bad: (text) => text, faint: (text) => text };
export const colourPaint: Paint = { good: esc(32), bad: esc(31), faint: esc(2) };
