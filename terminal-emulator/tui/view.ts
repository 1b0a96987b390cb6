import { Canvas, type TuiPicture } from './canvas.ts';
import { centreArea, isTooSmallForDevice, type Layout, layoutOf, smallestWindow } from './layout.ts';
import { asciiMarks, unicodeMarks } from './marks.ts';
import { findSelectedTerminalAndScreen, type TuiState } from './state.ts';
import { theme } from './theme.ts';
import { drawCards } from './views/cards.ts';
import { drawConsoleLink } from './views/console.ts';
import { drawDevice } from './views/device.ts';
import { drawFoldedCard, drawFoldedTerminal } from './views/folded.ts';
import { drawFooter } from './views/footer.ts';
import { drawHeader } from './views/header.ts';
import { drawHelp } from './views/help.ts';
import { drawJournal } from './views/journal.ts';
import { drawLatestPayment } from './views/latest-payment.ts';
import { drawNotice } from './views/notice.ts';
import { drawPayments } from './views/payments.ts';
import { drawPosSetup } from './views/pos-setup.ts';
import { drawQuitDialog } from './views/quit.ts';
import { drawReaders } from './views/readers.ts';
import { drawReceipt } from './views/receipt.ts';
import { drawSaleDialog } from './views/sale-dialog.ts';
import { drawSalePage } from './views/sale-page.ts';
import { drawSales } from './views/sales.ts';
import { drawSheet } from './views/sheet.ts';
import { drawTerminals } from './views/terminals.ts';
import { drawTroubles } from './views/troubles.ts';

/** Returns the whole screen as data. The same state always gives the same picture. */
export function drawTui(state: TuiState): TuiPicture {
  const { columns, rows } = state.size;
  const canvas = Canvas.of(columns, rows, state.unicode ? unicodeMarks : asciiMarks);
  const layout = layoutOf(state);
  if (layout) drawAll(canvas, layout, state);
  else drawTooSmall(canvas, state);
  return canvas.view();
}

function drawAll(canvas: Canvas, layout: Layout, state: TuiState): void {
  drawHeader(canvas.within(layout.header), state);
  const selected = findSelectedTerminalAndScreen(state);
  if (selected) {
    const maskedPan = state.cards.find((card) => card.id === selected.screen.card?.id)?.maskedPan;
    if (layout.folded) drawFoldedTerminal(canvas.within(layout.device), state);
    else drawDevice(canvas.within(layout.device), { ...selected, maskedPan, tall: layout.tall });
  }
  if (layout.receipt) drawReceipt(canvas.within(layout.receipt), state);
  if (layout.folded) drawFoldedCard(canvas.within(layout.cards), state);
  else drawCards(canvas.within(layout.cards), state);
  drawReaders(canvas.within(layout.readers), state);
  drawSales(canvas.within(layout.sales), state);
  if (layout.journal) drawJournal(canvas.within(layout.journal), state);
  drawLatestPayment(canvas.within(layout.outcome), state);
  drawNotice(canvas.within(layout.notice), state);
  drawOverlay(canvas, state);
  if (state.overlay && state.notice?.passing) drawNoticeOver(canvas.within(layout.notice), state);
  drawFooter(canvas.within(layout.footer), state);
}

/** Draws the result of the last key. The user needs this result even if a page fills the whole window. */
function drawNoticeOver(canvas: Canvas, state: TuiState): void {
  canvas.fill(theme.plain);
  drawNotice(canvas, state);
}

function drawOverlay(canvas: Canvas, state: TuiState): void {
  const { columns, rows } = state.size;
  switch (state.overlay) {
    case 'help':
    case 'access':
      if (isTooSmallForDevice(state.size)) return drawPage(wholeOf(canvas, state), state, 'entry');
      return state.overlay === 'help' ? drawHelp(canvas) : drawPosSetup(canvas, state);
    case 'console':
      return drawConsoleLink(canvas, state);
    case 'sale':
      return drawSaleDialog(canvas, state);
    case 'quit':
      return drawQuitDialog(canvas, state);
    case 'calls':
    case 'terminals':
    case 'journal':
    case 'filter':
    case 'entry':
    case 'payments':
    case 'payment':
    case 'troubles':
      return drawPage(wholeOf(canvas, state), state, state.overlay);
    case 'receipt': {
      canvas.hot({ modal: true, click: { do: 'close' } });
      const sheet = canvas.within({ ...centreArea(columns, rows, 40, rows), y: 1, height: rows - 2 });
      sheet.fill(theme.plain);
      return drawReceipt(sheet, state);
    }
    case 'search':
    case undefined:
      return;
  }
}

/** Returns an empty canvas for the part of the screen between the header and the notice. */
function wholeOf(canvas: Canvas, { size }: TuiState): Canvas {
  const whole = canvas.within({ x: 0, y: 1, width: size.columns, height: size.rows - 3 });
  whole.fill(theme.plain);
  return whole;
}

function drawPage(
  canvas: Canvas,
  state: TuiState,
  page: 'calls' | 'terminals' | 'journal' | 'filter' | 'entry' | 'payments' | 'payment' | 'troubles',
): void {
  if (page === 'payments') drawPayments(canvas, state);
  else if (page === 'calls') drawSalePage(canvas, state);
  else if (page === 'terminals') drawTerminals(canvas, state);
  else if (page === 'troubles') drawTroubles(canvas, state);
  else if (page === 'entry' || page === 'payment') drawSheet(canvas, state);
  else drawJournal(canvas, state);
}

function drawTooSmall(canvas: Canvas, { overlay }: TuiState): void {
  const lines = [
    'pinpad',
    '',
    `This window has ${canvas.width} columns and ${canvas.height} rows.`,
    `Make it at least ${smallestWindow.columns} x ${smallestWindow.rows}`,
    'to see the terminal.',
    '',
    ...(overlay === 'quit'
      ? ['A payment is under way.', 'y quits, any other key does not.']
      : ['Payments continue. q quits.']),
  ];
  const top = Math.max(0, Math.floor((canvas.height - lines.length) / 2));
  for (const [index, line] of lines.entries())
    canvas.textCentred(top + index, line, index === 0 ? theme.accent : theme.plain);
}
