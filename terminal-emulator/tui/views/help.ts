import type { Canvas } from '../canvas.ts';
import type { Overlay } from '../command.ts';
import { helpColumns, makeTabSignsHelp } from '../help-text.ts';
import { centreArea } from '../layout.ts';
import { theme } from '../theme.ts';
import { drawButton } from './button.ts';

/** Draws the page that lists every key with its effect. */
export function drawHelp(canvas: Canvas): void {
  const inside = drawHelpFrame(canvas, 'Help', { key: 'Tab', text: 'your own POS', overlay: 'access' });
  for (const [index, sections] of helpColumns.entries()) {
    let y = 0;
    const shown = index === 0 ? [...sections, makeTabSignsHelp(canvas.marks)] : sections;
    for (const { title, entries } of shown) {
      inside.text(2 + index * 39, y++, title, theme.overlayStrong);
      for (const [keys, does] of entries) {
        inside.text(2 + index * 39, y, keys, theme.overlayStrong);
        inside.text(14 + index * 39, y++, does, theme.overlay);
      }
      y++;
    }
  }
}

/** Draws the frame of one of the two help pages. The frame names the key that opens the other page. */
export function drawHelpFrame(
  canvas: Canvas,
  title: string,
  other: { key: string; text: string; overlay: Overlay },
): Canvas {
  const box = canvas.within(centreArea(canvas.width, canvas.height - 1, 80, 23));
  canvas.hot({ modal: true, click: { do: 'close' } });
  box.fill(theme.overlay);
  const inside = box.frame(theme.overlayStrong);
  box.text(2, 0, ` ${title} `, theme.overlayStrong);
  box.textRight(box.width - 2, 0, ' the mouse works everywhere ', theme.overlay);
  drawButton(box, 2, box.height - 1, ` ${other.key}  ${other.text} `, { do: 'open', overlay: other.overlay });
  return inside;
}
