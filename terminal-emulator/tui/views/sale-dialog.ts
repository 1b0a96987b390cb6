import type { Canvas } from '../canvas.ts';
import { findSelectedTerminalAndScreen, type TuiState } from '../state.ts';
import { terminalNameOf } from '../terminal-name.ts';
import { theme } from '../theme.ts';
import { findSaleObstacle } from '../why-no-sale.ts';
import { drawDialogBox } from './box.ts';
import { drawButton } from './button.ts';

/** Draws the dialog that starts a sale. */
export function drawSaleDialog(canvas: Canvas, state: TuiState): void {
  const inside = drawDialogBox(canvas, 54, 13, 'Ring up a sale');
  const name = terminalNameOf(state, findSelectedTerminalAndScreen(state)?.terminal.poiId) || 'no terminal';
  inside.text(2, 1, `on ${name}`, theme.overlay);
  drawAmount(inside, state);
  drawTip(inside, state.sale.tip);
  drawRemark(inside, state);
  drawButton(inside, 2, 9, '[ Enter  send ]', { do: 'submit' });
  drawButton(inside, 20, 9, '[ Esc  close ]', { do: 'close' });
}

/**
 * Draws what is wrong with the typed text, or the reason why the sale would fail. If nothing is wrong, draws what
 * will happen after the sale is sent.
 */
function drawRemark(inside: Canvas, state: TuiState): void {
  const { fault } = state.sale;
  const why = findSaleObstacle(state);
  if (fault) inside.text(2, 7, `${inside.marks.fail} ${fault}`, theme.overlayStrong);
  else if (why) inside.text(2, 7, `! It would fail now: ${why}.`, theme.overlayStrong);
  else inside.text(2, 7, 'Sends a real POST to the gateway, like your POS.', theme.overlayFaint);
}

function drawAmount(inside: Canvas, { sale, facts }: TuiState): void {
  inside.text(2, 3, 'Amount', theme.overlay);
  inside.text(18, 3, facts.currency, theme.overlayStrong);
  const field = inside.within({ x: 22, y: 3, width: 16, height: 1 });
  field.fill(theme.field);
  field.text(0, 0, `[${sale.amount}${inside.marks.caret}`, theme.field);
  field.text(15, 0, ']', theme.field);
}

function drawTip(inside: Canvas, tip: boolean): void {
  inside.text(2, 5, 'Ask for a tip', theme.overlay);
  for (const [x, value, text] of [
    [18, true, 'yes'],
    [28, false, 'no'],
  ] as const) {
    const end = inside.text(
      x,
      5,
      `(${tip === value ? inside.marks.lampOn : ' '}) ${text}`,
      tip === value ? theme.overlayStrong : theme.overlayFaint,
    );
    inside.hotspot({ x, y: 5, width: end - x, height: 1 }, { click: { do: 'askTip', tip: value } });
  }
  inside.text(36, 5, 'Tab changes', theme.overlayFaint);
}
