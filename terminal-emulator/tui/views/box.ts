import type { Canvas } from '../canvas.ts';
import { centreArea } from '../layout.ts';
import { theme } from '../theme.ts';

/**
 * Draws the box of a dialog in the middle, and returns the inside of the box. A click beside the box closes the dialog.
 */
export function drawDialogBox(canvas: Canvas, columns: number, rows: number, title: string): Canvas {
  const box = canvas.within(centreArea(canvas.width, canvas.height, columns, rows));
  canvas.hot({ modal: true, click: { do: 'close' } });
  box.hot({ modal: true });
  box.fill(theme.overlay);
  const inside = box.frame(theme.overlayStrong);
  box.text(2, 0, ` ${title} `, theme.overlayStrong);
  return inside;
}
