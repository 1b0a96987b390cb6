import type { Canvas } from '../canvas.ts';
import type { TuiState } from '../state.ts';
import { wrap } from '../text-width.ts';
import { theme } from '../theme.ts';
import { drawDialogBox } from './box.ts';
import { drawButton } from './button.ts';

/** Draws a link to the console. The link has its own line, so that the user can copy it or click on it. */
export function drawConsoleLink(canvas: Canvas, { consoleLink }: TuiState): void {
  const rows = consoleLink === undefined ? [] : wrap(consoleLink, Math.min(canvas.width, 80) - 4);
  const inside = drawDialogBox(canvas, 80, 8 + Math.max(1, rows.length), 'The console in a browser');
  const below = 4 + Math.max(1, rows.length);
  if (rows.length === 0) {
    inside.text(1, 1, 'This gateway has no console. docs/console.md says how to get one.', theme.overlay);
  } else {
    for (const [index, row] of rows.entries()) inside.text(1, 1 + index, row, theme.overlayStrong);
    const says = 'This link signs in one browser, once, within 15 minutes; b makes another link.';
    inside.text(1, 2 + rows.length, says, theme.overlay);
    drawButton(inside, 1, below, '[ Enter  open it here ]', { do: 'browse' });
  }
  drawButton(inside, rows.length === 0 ? 1 : 28, below, '[ Esc  close ]', { do: 'close' });
}
