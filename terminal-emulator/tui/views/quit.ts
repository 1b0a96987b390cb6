import type { Canvas } from '../canvas.ts';
import { paymentAmountText } from '../payment-text.ts';
import type { TuiState } from '../state.ts';
import { theme } from '../theme.ts';
import { drawDialogBox } from './box.ts';
import { drawButton } from './button.ts';

/** Asks whether the user wants to quit although a payment is under way. */
export function drawQuitDialog(canvas: Canvas, state: TuiState): void {
  const inside = drawDialogBox(canvas, 60, 9, 'Quit?');
  const open = state.payments.filter(({ ended }) => !ended);
  const [first] = open;
  const more = open.length > 1 ? `, and ${open.length - 1} more` : '';
  if (first)
    inside.text(
      2,
      1,
      `${paymentAmountText(first)} is ${first.givesBack ? 'under way' : 'being paid'} on ${first.terminal}${more}.`,
      theme.overlayStrong,
    );
  inside.text(2, 3, 'The POS has no answer yet.', theme.overlay);
  drawButton(inside, 2, 5, '[ y  quit ]', { do: 'quit', now: true });
  drawButton(inside, 20, 5, '[ Esc  stay ]', { do: 'close' });
}
