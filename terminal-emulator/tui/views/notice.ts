import type { Canvas } from '../canvas.ts';
import { selectedTerminal, shownReceipt, type TuiState } from '../state.ts';
import { theme } from '../theme.ts';

/** One line for the person in front: how their sale went, why something did not work, or how to begin. */
export function drawNotice(canvas: Canvas, state: TuiState): void {
  const { notice } = state;
  if (!notice) {
    canvas.text(1, 0, suggestion(state), theme.faint);
    return;
  }
  const { marks } = canvas;
  const mark = { neutral: marks.right, success: marks.ok, error: marks.fail }[notice.tone];
  const style = { neutral: theme.strong, success: theme.success, error: theme.error }[notice.tone];
  canvas.text(1, 0, `${mark} ${notice.text}`, style);
}

function suggestion(state: TuiState): string {
  const selected = selectedTerminal(state);
  if (!selected) return 'There is no terminal.';
  const { terminal, screen } = selected;
  if (terminal.shopper)
    return `A shopper pays here by itself with ${terminal.shopper.card}; x sends it away.`;
  switch (screen.state) {
    case 'off':
      return 'The terminal is off: p switches it on.';
    case 'idle':
      return 'Ring up a sale with a, or send one from your own POS: ? shows how.';
    case 'presentCard':
      return 'Choose a card with the arrow keys, then insert, tap, swipe or key it in.';
    case 'pin':
    case 'pinWrong':
      return "Type the card's PIN on the number keys, then Enter.";
    case 'approved':
    case 'printing':
      return shownReceipt(state) ? 'The receipt is printed: v shows it, c its other copy.' : '';
    case 'removeCard':
      return 'Take the card out with r.';
    case 'offline':
      return terminal.networkUp
        ? 'The terminal looks for its gateway.'
        : 'The network cable is out: n puts it back in.';
    default:
      return '';
  }
}
