import type { Canvas } from '../canvas.ts';
import { findListedCards, findSelectedCard, findSelectedTerminalAndScreen, type TuiState } from '../state.ts';
import { wrap } from '../text-width.ts';
import { displayStyleOf, theme } from '../theme.ts';
import { describeNetwork } from './device.ts';
import { makeWheelCommands } from './page.ts';

/** Draws the terminal without its device: only the text on its screen, and the card in its slot (B269). */
export function drawFoldedTerminal(canvas: Canvas, state: TuiState): void {
  const selected = findSelectedTerminalAndScreen(state);
  if (!selected) return;
  const { terminal, screen } = selected;
  const { marks, width } = canvas;
  const style = displayStyleOf(screen);
  canvas.fill(style);
  const bold = { ...style, bold: true };
  const mark = { success: marks.ok, error: marks.fail, prompt: '?', neutral: ' ' }[screen.tone];
  const end = canvas.text(1, 0, `${mark} ${screen.title || screen.state}  ${screen.amount ?? ''}`, bold);
  const network =
    terminal.networkUp && screen.lamps.network ? '' : `${marks.fail}${describeNetwork(terminal)}`;
  const inSlot = screen.card ? `${marks.inSlot} ${screen.card.label}` : '';
  const beside = [network, inSlot].filter(Boolean).join('  ');
  if (end + beside.length + 2 < width) canvas.textRight(width - 1, 0, beside, style);
  let y = 1;
  for (const row of screen.lines.flatMap((line) => wrap(line, width - 4)).slice(0, canvas.height - 3))
    canvas.text(3, y++, row, style);
  let x = 3;
  for (const { key, label } of screen.choices) {
    const text = `[${key === 'enter' ? 'Enter' : key}] ${label}`;
    if (x > 3 && x + text.length > width - 2) {
      x = 3;
      y++;
    }
    const stop = canvas.text(x, y, text, bold);
    canvas.hotspot({ x, y, width: stop - x, height: 1 }, { click: { do: 'press', key } });
    x = stop + 2;
  }
  if (screen.choices.length > 0) y++;
  if (screen.input) {
    const { label, text } = screen.input;
    canvas.text(3, Math.min(y, canvas.height - 1), `${label}${label ? ' ' : ''}${text}${marks.caret}`, bold);
  }
}

/** Draws the selected card and its PIN. This is the only row of the tray while the device is folded. */
export function drawFoldedCard(canvas: Canvas, state: TuiState): void {
  const { marks } = canvas;
  const cards = findListedCards(state);
  const card = findSelectedCard(state);
  const typing = state.overlay === 'search' ? marks.caret : '';
  const search = state.search || typing ? ` /${state.search}${typing}` : '';
  const title = `Card ${card ? cards.indexOf(card) + 1 : 0}/${cards.length}${search}`;
  let x = canvas.text(1, 0, `${title}  `, state.focus === 'cards' ? theme.panelFocused : theme.strong);
  if (!card) return void canvas.text(x, 0, 'No card matches.', theme.faint);
  const pin = card.blocked ? 'blocked' : card.pin ? `PIN ${card.pin}` : 'no PIN';
  x = canvas.text(x, 0, `${card.label}  `, card.blocked ? theme.error : theme.plain);
  canvas.text(x, 0, `${marks.masked}${marks.masked}${card.maskedPan.slice(-4)}  ${pin}`, theme.faint);
  canvas.hot({ click: { do: 'focus', panel: 'cards' }, ...makeWheelCommands('cards') });
}
