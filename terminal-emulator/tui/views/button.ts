import type { Canvas } from '../canvas.ts';
import type { TuiCommand } from '../command.ts';
import { theme } from '../theme.ts';

/** Draws a button of a dialog. The button's text contains the key that presses the button. */
export function drawButton(inside: Canvas, x: number, y: number, text: string, command: TuiCommand): void {
  const end = inside.text(x, y, text, theme.fieldIdle);
  inside.hotspot({ x, y, width: end - x, height: 1 }, { click: command });
}
