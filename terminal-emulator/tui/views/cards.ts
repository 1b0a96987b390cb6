import type { CardSummary } from '../../../shared/emulator/cards.ts';
import type { Screen } from '../../../shared/emulator/screen.ts';
import type { Canvas, Style } from '../canvas.ts';
import type { TuiCommand } from '../command.ts';
import { cardDetailRowCount, panelRowCount } from '../panel-row-count.ts';
import { findListedCards, findSelectedCard, findSelectedTerminalAndScreen, type TuiState } from '../state.ts';
import { textWidth, wrap } from '../text-width.ts';
import { theme } from '../theme.ts';
import { makeWheelCommands } from './page.ts';
import { drawPanelFrame } from './panel-frame.ts';

/**
 * Draws the tray: every card with its number, PIN and behaviour, the details of the selected card, and the actions for
 * it (insert, tap, swipe and so on).
 */
export function drawCards(canvas: Canvas, state: TuiState): void {
  const cards = findListedCards(state);
  const card = findSelectedCard(state);
  const at = card ? cards.indexOf(card) : -1;
  const title = trayTitle(canvas, state, at, cards.length);
  const inside = drawPanelFrame(canvas, 'cards', title, state);
  drawHeadings(canvas, textWidth(title) + 6);
  inside.hot(makeWheelCommands('cards'));
  const rows = panelRowCount(state, 'cards');
  const first = Math.max(0, Math.min(at - Math.floor(rows / 2), cards.length - rows));
  const slotCard = findSelectedTerminalAndScreen(state)?.screen.card?.id;
  for (const [index, listed] of cards.slice(first, first + rows).entries()) {
    const row = inside.within({ x: 0, y: index, width: inside.width, height: 1 });
    drawCardRow(row, listed, { selected: listed === card, inSlot: listed.id === slotCard, state });
  }
  if (cards.length === 0)
    inside.text(1, 0, `No card matches. ${keysShowingAll(state)} shows all.`, theme.faint);
  drawRule(canvas, first, cards.length - first - rows, rows + 1);
  const height = cardDetailRowCount(canvas.height);
  const detailsArea = { x: 1, y: rows + 1, width: inside.width - 2, height };
  if (card) drawCardDetails(inside.within(detailsArea), card);
  const actionsArea = { x: 0, y: rows + 1 + height, width: inside.width, height: 2 };
  drawActions(inside.within(actionsArea), findSelectedTerminalAndScreen(state)?.screen, card);
}

/**
 * Names the keys that end a search and show all cards again. While the user types the search, Esc is enough. At other
 * times, Esc would press cancel on the terminal, so the user presses / first.
 */
function keysShowingAll({ overlay }: TuiState): string {
  return overlay === 'search' ? 'Esc' : '/ Esc';
}

function trayTitle(canvas: Canvas, state: TuiState, at: number, count: number): string {
  const typing = state.overlay === 'search' ? canvas.marks.caret : '';
  const found = state.search || typing ? `  /${state.search}${typing}` : '';
  return `Cards ${at + 1}/${count}${found}`;
}

const pinWidth = 7;
const maskedLength = 'NNNNNN **** NNNN'.length;
const endLength = '**NNNN'.length;

/** Returns where the parts of a card's row begin, in a tray that is `width` columns wide inside its frame. */
function rowColumns(width: number) {
  const full = width >= 46;
  const note = width >= 84;
  const numberLength = full ? maskedLength : endLength;
  const labelWidth = note ? 24 : width - 3 - numberLength - 2 - pinWidth;
  const number = 3 + labelWidth + 1;
  const pin = number + numberLength + 1;
  return { full, note: note ? pin + pinWidth + 1 : undefined, labelWidth, number, pin };
}

/** Draws the headings of the columns. They are in the frame above the columns, to the right of the title (B260). */
function drawHeadings(canvas: Canvas, titleEnd: number): void {
  const { full, note, number, pin } = rowColumns(canvas.width - 2);
  const heading = (column: number, text: string) => {
    if (column > titleEnd) canvas.text(column, 0, ` ${text} `, theme.faint);
  };
  heading(number, full ? 'number' : 'ends');
  heading(pin, 'PIN');
  if (note !== undefined) heading(note, 'what it does');
}

interface RowFacts {
  readonly selected: boolean;
  readonly inSlot: boolean;
  readonly state: TuiState;
}

function drawCardRow(row: Canvas, card: CardSummary, { selected, inSlot, state }: RowFacts): void {
  const { marks, width } = row;
  const style = rowStyle(card, selected, state);
  if (selected) row.fill(style);
  row.text(0, 0, selected ? marks.selected : ' ', style);
  row.text(1, 0, card.blocked ? marks.blocked : inSlot ? marks.inSlot : ' ', style);
  const { full, note, labelWidth, number, pin } = rowColumns(width);
  row.text(3, 0, card.label, style, labelWidth);
  const end = `${marks.masked}${marks.masked}${card.maskedPan.slice(-4)}`;
  row.text(number, 0, full ? card.maskedPan : end, style);
  row.text(pin, 0, card.blocked ? 'blocked' : (card.pin ?? '-'), style, pinWidth);
  if (note !== undefined) row.text(note, 0, card.note || card.behaviour, style);
  row.hot({ click: { do: 'selectCard', id: card.id } });
}

function rowStyle(card: CardSummary, selected: boolean, state: TuiState): Style {
  if (selected) return state.focus === 'cards' ? theme.selected : theme.selectedElsewhere;
  return card.blocked ? theme.error : theme.plain;
}

/** Draws the line below the cards. It says how many cards are above the visible cards, and how many are below. */
function drawRule(canvas: Canvas, above: number, below: number, ruleY: number): void {
  const { marks, width } = canvas;
  canvas.text(1, ruleY, marks.across.repeat(width - 2), theme.panel);
  const more = [
    ...(above > 0 ? [`${marks.up} ${above}`] : []),
    ...(below > 0 ? [`${marks.down} ${below}`] : []),
  ];
  if (more.length > 0) canvas.textRight(width - 2, ruleY, ` ${more.join('  ')} more `, theme.faint);
}

/**
 * Draws the number, the expiry and the PIN of a card. Below that, draws as much of the card's behaviour as fits, and
 * the purpose of the card.
 */
function drawCardDetails(canvas: Canvas, card: CardSummary): void {
  const expiry = `${card.expiry.slice(0, 2)}/${card.expiry.slice(2)}`;
  const pin = card.blocked ? 'blocked' : card.pin ? `PIN ${card.pin}` : 'no PIN';
  canvas.text(0, 0, `${card.maskedPan}  ${expiry}  ${pin}`, theme.strong);
  const room = canvas.height - (card.note ? 2 : 1);
  const rows = wrap(answerFirst(card.behaviour), canvas.width);
  for (const [index, row] of rows.slice(0, room).entries()) {
    const cut = index === room - 1 && rows.length > room;
    canvas.text(0, 1 + index, cut ? `${row} ${rows[room]}` : row);
  }
  if (card.note) canvas.text(0, canvas.height - 1, card.note, theme.faint);
}

/**
 * Moves the issuer's answer from the end of a behaviour's text to the beginning. There the answer, which is the most
 * important part, is not cut off.
 */
function answerFirst(behaviour: string): string {
  const parts = behaviour.split('; ');
  return [...parts.slice(-1), ...parts.slice(0, -1)].join('; ');
}

interface CardAction {
  readonly key: string;
  readonly text: string;
  readonly command: TuiCommand;
  readonly live: boolean;
}

/**
 * Draws the actions for the selected card. If the terminal waits for an action, brackets mark the key of this action.
 */
function drawActions(canvas: Canvas, screen: Screen | undefined, card: CardSummary | undefined): void {
  const takes = (entry: Screen['entries'][number]) => screen?.entries.includes(entry) ?? false;
  const actions: CardAction[] = [
    { key: 'i', text: 'insert', command: { do: 'insert' }, live: takes('ICC') },
    { key: 't', text: 'tap', command: { do: 'tap' }, live: takes('Contactless') },
    { key: 's', text: 'swipe', command: { do: 'swipe' }, live: takes('MagStripe') },
    { key: 'k', text: 'key in', command: { do: 'keyIn' }, live: takes('Keyed') },
    { key: 'r', text: 'remove', command: { do: 'remove' }, live: screen?.card !== undefined },
    { key: 'u', text: 'unblock', command: { do: 'unblock' }, live: card?.blocked ?? false },
  ];
  const column = Math.min(16, Math.floor((canvas.width - 1) / 3));
  for (const [index, action] of actions.entries()) {
    const x = 1 + (index % 3) * column;
    const y = Math.floor(index / 3);
    canvas.text(
      x,
      y,
      action.live ? `[${action.key}]` : ` ${action.key} `,
      action.live ? theme.accent : theme.plain,
    );
    canvas.text(x + 4, y, action.text, action.live ? theme.strong : theme.faint, column - 4);
    canvas.hotspot({ x, y, width: column - 1, height: 1 }, { click: action.command });
  }
}
