import type { Screen } from '../../../shared/emulator/screen.ts';
import type { Canvas } from '../canvas.ts';
import type { TuiTerminal } from '../source.ts';
import { textWidth } from '../text-width.ts';
import { theme } from '../theme.ts';
import { drawDisplay } from './display.ts';
import { drawKeypad } from './keypad.ts';

/** The facts about the terminal that the device view needs. */
interface DeviceFacts {
  readonly terminal: TuiTerminal;
  readonly screen: Screen;
  /** The masked number of the card in the slot, if it is known. */
  readonly maskedPan: string | undefined;
  readonly tall: boolean;
}

/** Draws the terminal: lamps, display, keypad, and the slot with the card in it. */
export function drawDevice(canvas: Canvas, facts: DeviceFacts): void {
  const { screen, tall } = facts;
  const cardRows = tall ? 2 : 1;
  const keyRows = tall ? 12 : 4;
  const bodyHeight = canvas.height - cardRows;
  const body = canvas.within({ x: 0, y: 0, width: canvas.width, height: bodyHeight });
  body.fill(theme.body);
  const inside = body.frame(theme.body);
  drawLamps(body, facts);
  const displayHeight = inside.height - keyRows;
  drawDisplay(inside.within({ x: 1, y: 0, width: inside.width - 2, height: displayHeight }), screen);
  drawKeypad(inside.within({ x: 0, y: displayHeight, width: inside.width, height: keyRows }), screen, tall);
  drawSlot(canvas, facts, bodyHeight - 1);
}

function drawLamps(body: Canvas, { terminal, screen }: DeviceFacts): void {
  const { marks } = body;
  const lamp = (on: boolean) => (on ? marks.lampOn : marks.lampOff);
  const { power, network, contactless } = screen.lamps;
  let x = body.text(1, 0, ` ${lamp(power)}`, power ? theme.lampPower : theme.body);
  x = body.text(x, 0, ' power ', theme.body);
  body.hotspot({ x: 1, y: 0, width: x - 1, height: 1 }, { click: { do: 'power' } });
  const left = x + 1;
  const cable = terminal.networkUp ? lamp(network) : marks.fail;
  const lost = power && !network;
  x = body.text(left, 0, ` ${cable}`, lost ? theme.lampNetworkLost : network ? theme.lampPower : theme.body);
  x = body.text(x, 0, describeNetwork(terminal), theme.body);
  body.hotspot({ x: left, y: 0, width: x - left, height: 1 }, { click: { do: 'network' } });
  const lamps = Array.from({ length: 4 }, (_, index) => lamp(index < contactless)).join(' ');
  const right = body.width - 2;
  body.textRight(right, 0, ` ${marks.waves} ${lamps} `, contactless ? theme.lampContactless : theme.body);
  const width = textWidth(lamps) + 6;
  body.hotspot({ x: right - width, y: 0, width, height: 1 }, { click: { do: 'tap' } });
}

/** Describes the state of the network in words. */
export function describeNetwork({ networkUp, latencyMs = 0 }: TuiTerminal): string {
  if (!networkUp) return ' no cable ';
  return latencyMs > 0 ? ' network slow ' : ' network ';
}

const slotWidth = 26;

function drawSlot(canvas: Canvas, { screen, maskedPan }: DeviceFacts, y: number): void {
  const { marks } = canvas;
  const left = Math.floor((canvas.width - slotWidth) / 2);
  canvas.text(left, y, marks.slot.repeat(slotWidth), theme.bodyStrong);
  const waiting = screen.entries.includes('ICC');
  const label = screen.lamps.chip || screen.card ? ` ${marks.lampOn} chip ` : ` ${marks.lampOff} chip `;
  canvas.text(1, y, label, screen.lamps.chip || screen.card ? theme.lampPower : theme.body);
  const below = canvas.within({ x: left, y: y + 1, width: slotWidth, height: canvas.height - y - 1 });
  if (screen.card) drawCard(below, screen.card.label, maskedPan);
  else if (waiting) below.textCentred(0, `${marks.up} insert: i ${marks.up}`, theme.accent);
  below.hot({ click: { do: screen.card ? 'remove' : 'insert' } });
}

/** Draws the part of the card that sticks out of the slot. */
function drawCard(canvas: Canvas, label: string, maskedPan: string | undefined): void {
  const { marks } = canvas;
  canvas.fill(theme.card);
  const [, , , side] = marks.round;
  for (let y = 0; y < canvas.height; y++) {
    canvas.text(0, y, side, theme.card);
    canvas.text(canvas.width - 1, y, side, theme.card);
  }
  const inside = canvas.within({ x: 1, y: 0, width: canvas.width - 2, height: canvas.height });
  const pull = ' r';
  inside.text(0, 0, `${marks.inSlot} ${label}`, theme.card, inside.width - pull.length);
  if (canvas.height > 1 && maskedPan) inside.text(2, 1, maskedPan, theme.card);
}
