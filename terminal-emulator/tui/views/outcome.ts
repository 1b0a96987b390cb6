import type { Canvas } from '../canvas.ts';
import { clockTime } from '../journal-lines.ts';
import { amountOf, lastEnded, reasonOf } from '../payments.ts';
import { selectedTerminal, type TuiState } from '../state.ts';
import { textWidth } from '../text-width.ts';
import { theme } from '../theme.ts';

/** How the last payment of the terminal in view ended, whichever program requested it, and why. */
export function drawOutcome(canvas: Canvas, state: TuiState): void {
  const poiId = selectedTerminal(state)?.terminal.poiId;
  const payment = poiId === undefined ? undefined : lastEnded(state.payments, poiId);
  if (!payment?.ended || canvas.height === 0) return;
  const { marks, width } = canvas;
  const { success, at } = payment.ended;
  const [mark, style] = success ? [marks.ok, theme.success] : [marks.fail, theme.error];
  const words = success ? 'APPROVED' : 'NOT APPROVED';
  const reason = success ? '' : ` ${marks.dot} ${reasonOf(payment)}`;
  const time = clockTime(at);
  const room = width - 1 - textWidth(time) - 2;
  canvas.text(1, 0, `${mark} ${words} ${amountOf(payment)}${reason}`, style, room);
  canvas.textRight(width - 1, 0, time, theme.faint);
  canvas.hot({ click: { do: 'openPayment', id: payment.id } });
}
