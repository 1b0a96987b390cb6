import type { Canvas } from '../canvas.ts';
import type { FocusablePanel } from '../command.ts';
import type { TuiState } from '../state.ts';
import { theme } from '../theme.ts';

/** Draws a panel's frame with its title. The frame is marked if the arrow keys move in this panel. */
export function drawPanelFrame(
  canvas: Canvas,
  panel: FocusablePanel,
  title: string,
  state: TuiState,
): Canvas {
  const focused = state.focus === panel;
  canvas.hot({ click: { do: 'focus', panel } });
  const inside = canvas.frame(focused ? theme.panelFocused : theme.panel);
  drawPanelTitle(canvas, title, focused);
  return inside;
}

export function drawPanelTitle(canvas: Canvas, title: string, focused: boolean): number {
  const text = focused ? ` ${canvas.marks.selected} ${title} ` : ` ${title} `;
  return canvas.text(2, 0, text, focused ? theme.panelFocused : theme.strong);
}
