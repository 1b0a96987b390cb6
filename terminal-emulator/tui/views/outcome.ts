import type { Canvas, Style } from '../canvas.ts';
import { clockTime } from '../journal-lines.ts';
import { amountOf, latestOn, reasonOf, type TuiPayment } from '../payments.ts';
import { selectedTerminal, type TuiState } from '../state.ts';
import { textWidth } from '../text-width.ts';
import { theme } from '../theme.ts';

/**
 * The payment that is under way on the terminal in view, or how the last one ended there and why, whichever program
 * requested it.
 */
export function drawOutcome(canvas: Canvas, state: TuiState): void {
  const poiId = selectedTerminal(state)?.terminal.poiId;
  const payment = poiId === undefined ? undefined : latestOn(state.payments, poiId);
  if (!payment || canvas.height === 0) return;
  const { width } = canvas;
  const time = clockTime(payment.ended?.at ?? payment.acceptedAt);
  const [text, style] = lineOf(canvas.marks, payment);
  canvas.text(1, 0, text, style, width - 1 - textWidth(time) - 2);
  canvas.textRight(width - 1, 0, time, theme.faint);
  canvas.hot({ click: { do: 'openPayment', id: payment.id } });
}

function lineOf({ ask, ok, fail, dot }: Canvas['marks'], payment: TuiPayment): [string, Style] {
  const { ended } = payment;
  const amount = amountOf(payment);
  if (!ended) return [`${ask} UNDER WAY ${amount}`, theme.strong];
  return ended.success
    ? [`${ok} APPROVED ${amount}`, theme.success]
    : [`${fail} NOT APPROVED ${amount} ${dot} ${reasonOf(payment)}`, theme.error];
}
