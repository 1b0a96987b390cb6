import type { Canvas } from '../canvas.ts';
import { readerIndent, readerRows } from '../reader-rows.ts';
import type { TuiState } from '../state.ts';
import { theme } from '../theme.ts';

/**
 * Draws the state of the terminal's real card readers. The text says which readers answer, and what to do if a reader
 * does not answer.
 */
export function drawReaders(canvas: Canvas, state: TuiState): void {
  const { marks, width } = canvas;
  for (const [y, { text, ready, first }] of readerRows(state, width).entries()) {
    const style = ready ? theme.plain : theme.warning;
    if (first) canvas.text(1, y, `${ready ? marks.lampOn : marks.fail} reader`, style);
    canvas.text(readerIndent, y, text, style);
  }
}
