import type { Canvas, Style } from '../canvas.ts';
import { newerSalesCount } from '../panel-row-count.ts';
import { failureReasonOf, paymentAmountText } from '../payment-text.ts';
import { latestPaymentOn, type TuiPayment } from '../payments.ts';
import { findSelectedTerminalAndScreen, type TuiState } from '../state.ts';
import { theme } from '../theme.ts';

/**
 * Draws the payment that is under way on the terminal in view. If there is none, draws the outcome of the terminal's
 * last payment, with the reason for this outcome. It does not matter which program requested the payment. Draws nothing
 * while the user has scrolled to older sales, because the last payment does not belong to any of them.
 */
export function drawLatestPayment(canvas: Canvas, state: TuiState): void {
  const poiId = findSelectedTerminalAndScreen(state)?.terminal.poiId;
  const payment = poiId === undefined ? undefined : latestPaymentOn(state.payments, poiId);
  if (!payment || canvas.height === 0 || newerSalesCount(state) > 0) return;
  const [text, style] = lineOf(canvas.marks, payment);
  const end = canvas.text(0, 0, ` ${text} `, style);
  canvas.hotspot({ x: 0, y: 0, width: end, height: 1 }, { click: { do: 'openPayment', id: payment.id } });
}

function lineOf({ ask, ok, fail, dot }: Canvas['marks'], payment: TuiPayment): [string, Style] {
  const { ended } = payment;
  const amount = paymentAmountText(payment);
  if (!ended) return [`${ask} UNDER WAY ${amount}`, theme.strong];
  return ended.success
    ? [`${ok} APPROVED ${amount}`, theme.success]
    : [`${fail} NOT APPROVED ${amount} ${dot} ${failureReasonOf(payment)}`, theme.error];
}
