import type { Screen } from '../../../shared/emulator/screen.ts';
import type { Sale } from '../../../shared/sales/sale.ts';
import type { Canvas } from '../canvas.ts';
import { findOtherTerminalAwaitingCardholder } from '../listed-terminals.ts';
import { shortSaleNameOf } from '../sale-line.ts';
import { findSelectedTerminalAndScreen, findShownReceipt, type TuiState } from '../state.ts';
import { textWidth, truncate } from '../text-width.ts';
import { theme } from '../theme.ts';
import {
  briefFindingText,
  findUnopenedWrongSalesAbove,
  findWorstFinding,
  findWrongSaleInView,
} from '../wrong-sales.ts';

/** Draws a line for the user. The line tells the result of the last action, or suggests the next action. */
export function drawNotice(canvas: Canvas, state: TuiState): void {
  const { notice } = state;
  const text = notice ? `${canvas.marks.right} ${notice.text}` : suggestion(state, canvas.marks);
  const room = canvas.width - 1 - drawTerminalAsking(canvas, state, textWidth(text));
  if (!notice) {
    canvas.text(1, 0, truncate(text, room, canvas.marks.ellipsis), theme.next, room);
    return;
  }
  const { marks } = canvas;
  const mark = { neutral: marks.right, success: marks.ok, error: marks.fail }[notice.tone];
  const style = { neutral: theme.strong, success: theme.success, error: theme.error }[notice.tone];
  canvas.text(1, 0, `${mark} ${notice.text}`, style, room);
}

/**
 * If another terminal waits for its cardholder, names this terminal, because the user cannot see its screen (B268). The
 * text is at the right end of the notice's row. `wanted` is the number of columns that the notice itself needs. If
 * enough room is left, the text is longer. Returns the number of columns that the text occupies.
 */
function drawTerminalAsking(canvas: Canvas, state: TuiState, wanted: number): number {
  const asking = state.overlay ? undefined : findOtherTerminalAwaitingCardholder(state);
  if (!asking) return 0;
  const { terminal, screen, index, more } = asking;
  const others = more > 0 ? `, and ${more} more` : '';
  const whole = `? ${terminal.poiId}: ${screen?.title ?? 'asks'}${others} (g shows it) `;
  const short = `? ${more + 1} more asking (g) `;
  const isQuiet = !state.notice && findSelectedTerminalAndScreen(state)?.screen.tone !== 'prompt';
  const text = isQuiet || wanted + textWidth(whole) + 3 < canvas.width ? whole : short;
  const width = textWidth(text);
  canvas.textRight(canvas.width, 0, text, theme.warning);
  canvas.hotspot(
    { x: canvas.width - width, y: 0, width, height: 1 },
    { click: { do: 'selectTerminal', index } },
  );
  return width + 1;
}

/**
 * Suggests the next action. Suggests nothing while an overlay is open, because keys have other effects then. The
 * footer shows these effects.
 */
function suggestion(state: TuiState, marks: Canvas['marks']): string {
  if (state.overlay) return '';
  const selected = findSelectedTerminalAndScreen(state);
  if (!selected) return 'No terminal.';
  const { terminal, screen } = selected;
  if (screen.state === 'off') return 'The terminal is off: p switches it on.';
  if (!terminal.networkUp) return 'The network cable is out: n puts it back in.';
  if (terminal.shopper || atRest.has(screen.state)) {
    const wrong = wrongSaleText(state, marks);
    if (wrong) return wrong;
  }
  if (terminal.shopper)
    return `An automatic shopper pays with ${terminal.shopper.card}; x removes the shopper.`;
  switch (screen.state) {
    case 'idle':
      return 'Press a to ring up a sale; ? says how to use your own POS.';
    case 'tip':
      return 'Type the number of a tip, or press Enter for no tip.';
    case 'customTip':
      return 'Type the tip on the number keys, then Enter.';
    case 'presentCard':
    case 'cardUnreadable':
      return presentingText(screen.entries);
    case 'insertInstead':
      return 'Insert the card with i.';
    case 'swipeInstead':
      return 'Swipe the card with s.';
    case 'chipUnreadable':
      return screen.card
        ? 'Take the card out with r, then insert it again.'
        : 'Insert the card again with i.';
    case 'keyedNumber':
      return 'Type the card number, then Enter.';
    case 'keyedExpiry':
      return 'Type the expiry, month and year, then Enter.';
    case 'applicationChoice':
      return 'Type the number beside a way to pay.';
    case 'pin':
    case 'pinWrong':
      return "Type the card's PIN on the number keys, then Enter.";
    case 'approved':
    case 'printing':
      return findShownReceipt(state) ? 'The receipt is printed: v shows it, c shows the other copy.' : '';
    case 'removeCard':
      return 'Take the card out with r.';
    case 'declined':
    case 'cancelled':
    case 'cardNotAccepted':
      return 'To see why, press l, select this payment, and press Enter.';
    case 'offline':
      return 'The terminal tries to reach its gateway.';
    default:
      return '';
  }
}

const atRest = new Set<Screen['state']>(['idle', 'approved', 'declined', 'cancelled', 'cardNotAccepted']);

/**
 * Describes a mistake of the point of sale in a sale that is visible or further up in the list. So the user learns of
 * a mistake without searching for it (B316, B363).
 */
function wrongSaleText(state: TuiState, marks: Canvas['marks']): string | undefined {
  const sale = findWrongSaleInView(state);
  if (sale) return saleFindingText(sale, marks);
  const above = findUnopenedWrongSalesAbove(state);
  const last = above.at(-1);
  if (!last) return undefined;
  const sales = above.length === 1 ? '1 sale above' : `${above.length} sales above`;
  return `${marks.warn} ${sales} went wrong (o opens the last): ${whatIsWrong(last)}`;
}

function saleFindingText(sale: Sale, { warn, ellipsis }: Canvas['marks']): string {
  const what = whatIsWrong(sale);
  const name = shortSaleNameOf(sale, ellipsis);
  return name === '' || what.includes(name) ? `${warn} ${what}` : `${warn} ${name}: ${what}`;
}

function whatIsWrong(sale: Sale): string {
  const found = findWorstFinding(sale);
  return found ? briefFindingText(found) : '';
}

const ways = { Contactless: 't taps', ICC: 'i inserts', MagStripe: 's swipes', Keyed: 'k keys in' } as const;

/**
 * Suggests that the user presents the selected card. Names at most two of the ways that the terminal accepts, the
 * easiest first. The text recommends no particular card, because it does not matter which card is used for a first
 * payment.
 */
function presentingText(entries: Screen['entries']): string {
  const live = Object.entries(ways).flatMap(([entry, way]) =>
    entries.some((each) => each === entry) ? way : [],
  );
  if (live.length === 0) return 'The arrow keys select a card.';
  return `${live.slice(0, 2).join(' or ')} the selected card; the arrow keys select another card.`;
}
