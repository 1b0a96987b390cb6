import type { PrintedReceipt } from '../../../shared/emulator/frames.ts';
import type { Canvas } from '../canvas.ts';
import { panelRowCount } from '../panel-row-count.ts';
import { receiptRemarkLines } from '../receipt-remark.ts';
import { findShownReceipt, listReceiptTransactionIds, type TuiState } from '../state.ts';
import { theme } from '../theme.ts';
import { drawHiddenLineCount, makeWheelCommands } from './page.ts';
import { drawPanelFrame } from './panel-frame.ts';

/**
 * Draws a receipt that the terminal has printed, one copy at a time. The user can scroll the receipt, and open older
 * receipts.
 */
export function drawReceipt(canvas: Canvas, state: TuiState): void {
  const receipt = findShownReceipt(state);
  const inside = drawPanelFrame(canvas, 'receipt', title(receipt), state);
  canvas.hot({ click: { do: 'focus', panel: 'receipt' }, ...makeWheelCommands('receipt') });
  if (!receipt && state.receiptFor) {
    inside.textCentred(1, 'This payment printed no receipt.', theme.faint);
    return;
  }
  if (!receipt) {
    inside.textCentred(1, 'No receipt yet.', theme.faint);
    inside.textCentred(3, 'An approved payment', theme.faint);
    inside.textCentred(4, 'prints two copies here.', theme.faint);
    return;
  }
  const rows = panelRowCount(state, 'receipt');
  const top = Math.min(state.receiptTop, Math.max(0, receipt.lines.length - rows));
  const remark = receiptRemarkLines(state);
  for (const [y, line] of remark.entries()) inside.text(1, y, line, theme.warning);
  const { width, height } = inside;
  const under = { x: 0, y: remark.length, width, height: height - remark.length };
  drawPaper(inside.within(under), receipt, top);
  drawFoot(canvas, state, receipt, top, rows);
}

function title(receipt: PrintedReceipt | undefined): string {
  if (!receipt) return 'Receipt';
  return receipt.copy === 'customerReceipt' ? 'Receipt: customer copy' : 'Receipt: cashier copy';
}

function drawPaper(inside: Canvas, receipt: PrintedReceipt, top: number): void {
  const left = Math.max(0, Math.floor((inside.width - 34) / 2));
  const paper = inside.within({
    x: left,
    y: 0,
    width: Math.min(34, inside.width),
    height: Math.min(inside.height, receipt.lines.length - top + 1),
  });
  paper.fill(theme.paper);
  for (const [index, line] of receipt.lines.slice(top).entries())
    paper.text(1, index, line.text, line.bold ? theme.paperStrong : theme.paper, 32);
  const end = receipt.lines.length - top;
  if (end < paper.height) paper.text(0, end, paper.marks.tear.repeat(paper.width), theme.paper);
}

function drawFoot(canvas: Canvas, state: TuiState, receipt: PrintedReceipt, top: number, rows: number): void {
  const { width, height } = canvas;
  const y = height - 1;
  const other = receipt.copy === 'customerReceipt' ? ' c cashier copy ' : ' c customer copy ';
  const end = canvas.text(2, y, other, theme.strong);
  canvas.hotspot({ x: 2, y, width: end - 2, height: 1 }, { click: { do: 'switchCopy' } });
  drawHiddenLineCount(canvas, y, { below: receipt.lines.length - top - rows, above: top });
  const count = listReceiptTransactionIds(state).length;
  if (count > 1) canvas.textRight(width - 2, 0, ` ${count - state.receiptsBack}/${count} `, theme.faint);
}
