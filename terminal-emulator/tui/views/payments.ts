import type { Canvas } from '../canvas.ts';
import { formatClockTime } from '../journal-lines.ts';
import { panelRowCount } from '../panel-row-count.ts';
import { failureReasonOf, paymentAmountText } from '../payment-text.ts';
import type { TuiPayment } from '../payments.ts';
import { findSelectedPayment, type TuiState } from '../state.ts';
import { terminalNameColumns } from '../terminal-name.ts';
import { padEnd, truncateMiddle } from '../text-width.ts';
import { theme } from '../theme.ts';
import { beginPage, drawRows, drawSelection } from './page.ts';

/**
 * Draws every payment, the latest payment first. Each payment has its time, terminal and amount, and its outcome with
 * the reason.
 */
export function drawPayments(canvas: Canvas, state: TuiState): void {
  const payments = state.payments.toReversed();
  const selected = findSelectedPayment(state);
  const at = selected ? payments.indexOf(selected) : 0;
  beginPage(canvas, 'payments', `Payments ${payments.length === 0 ? 0 : at + 1}/${payments.length}`);
  if (payments.length === 0)
    canvas.text(1, 1, 'There is no payment yet: press a to ring up a sale.', theme.faint);
  drawRows(canvas, payments, { at, most: panelRowCount(state, 'payments') }, (row, payment) =>
    drawPayment(row, payment, { selected: payment === selected, state }),
  );
}

function drawPayment(
  row: Canvas,
  payment: TuiPayment,
  { selected, state }: { selected: boolean; state: TuiState },
): void {
  const { marks } = row;
  const { ended, terminal, acceptedAt } = payment;
  const style = selected
    ? theme.selected
    : !ended
      ? theme.strong
      : ended.success
        ? theme.success
        : theme.error;
  const columns = terminalNameColumns(state);
  const mark = !ended ? marks.ask : ended.success ? marks.ok : marks.fail;
  drawSelection(row, selected, style);
  let x = row.text(2, 0, `${formatClockTime(acceptedAt)} `, selected ? style : theme.faint);
  x = row.text(
    x,
    0,
    `${padEnd(truncateMiddle(terminal, columns, marks.ellipsis), columns)} ${padEnd(mark, 2)} `,
    style,
  );
  const what = !ended ? 'under way' : ended.success ? 'approved' : failureReasonOf(payment);
  row.text(x, 0, `${paymentAmountText(payment)} ${marks.dot} ${what}`, style);
  row.hot({ click: { do: 'openPayment', id: payment.id } });
}
