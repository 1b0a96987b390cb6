import type { Screen } from '../../../shared/emulator/screen.ts';
import type { Canvas } from '../canvas.ts';
import { findActiveModes } from '../modes.ts';
import type { TuiState } from '../state.ts';
import { textWidth, truncateMiddle } from '../text-width.ts';
import { theme } from '../theme.ts';

/**
 * Draws the header. It has the product's name, a tab for each terminal with a sign for its state, the modes that are
 * on, and the gateway's address.
 */
export function drawHeader(canvas: Canvas, state: TuiState): void {
  const { marks } = canvas;
  let x = canvas.text(1, 0, 'pinpad', theme.accent) + 2;
  const right = drawRight(canvas, state, x);
  const tabs = tabNames(state, right - 3 - x, marks.ellipsis).map((name, index) =>
    tabText(state, index, name, marks),
  );
  const first = firstTab(tabs, state.terminal, right - x - 4);
  if (first > 0) x = canvas.text(x, 0, `${marks.left} `, theme.faint);
  for (let index = first; index < tabs.length; index++) {
    const tab = tabs[index] as string;
    if (x + textWidth(tab) > right - 3) {
      canvas.text(x, 0, marks.right, theme.faint);
      break;
    }
    const end = canvas.text(x, 0, tab, index === state.terminal ? theme.tabSelected : theme.tab);
    canvas.hotspot({ x, y: 0, width: end - x, height: 1 }, { click: { do: 'selectTerminal', index } });
    x = end + 1;
  }
}

/**
 * Draws the modes. If the tabs leave enough room, also draws the gateway's address. Returns the column at which the
 * modes or the address begin.
 */
function drawRight(canvas: Canvas, state: TuiState, tabsLeft: number): number {
  let x = canvas.width - 1;
  for (const { word, command, usual } of findActiveModes(state).reverse()) {
    x -= textWidth(word);
    canvas.text(x, 0, word, usual ? theme.faint : theme.mode);
    if (command) canvas.hotspot({ x, y: 0, width: textWidth(word), height: 1 }, { click: command });
    x--;
  }
  const url = state.facts.gatewayUrl.replace(/^https?:\/\//, '');
  const names = state.terminals.map(({ poiId }) => textWidth(poiId) + besideName + 1);
  const left = x - textWidth(url);
  const crowded = findActiveModes(state).length > 0 && tabsLeft + names.reduce((a, b) => a + b, 0) > left - 3;
  if (crowded) return x + 1;
  canvas.text(left, 0, url, theme.faint);
  return left;
}

/**
 * The number of columns that a tab needs in addition to the name (for brackets, function key, and sign for the
 * state), and the minimum width of a shortened name.
 */
const besideName = 7;
const shortestName = 10;

/**
 * Returns the names for the tabs. Each name is a poi_id. If there is room for all stores, each name also has the
 * store. If there is too little room even for the poi_ids, these are shortened.
 */
function tabNames({ terminals }: TuiState, room: number, ellipsis: string): string[] {
  const full = terminals.map(({ poiId, store }) => `${poiId} ${store}`);
  if (full.reduce((sum, name) => sum + textWidth(name) + besideName + 1, 0) <= room) return full;
  const columns = Math.floor(room / Math.max(1, terminals.length)) - besideName - 1;
  return terminals.map(({ poiId }) => truncateMiddle(poiId, Math.max(shortestName, columns), ellipsis));
}

function tabText(state: TuiState, index: number, name: string, marks: Canvas['marks']): string {
  const key = index < 12 && state.terminals.length > 1 ? `F${index + 1} ` : '';
  const label = `${key}${name} ${stateMarkOf(state.screens[index], marks)}`;
  return index === state.terminal ? `[${label}]` : ` ${label} `;
}

/** Returns the sign for a terminal's state. */
export function stateMarkOf(screen: Screen | undefined, marks: Canvas['marks']): string {
  if (!screen || screen.state === 'off') return marks.lampOff;
  if (!screen.lamps.network) return '!';
  if (screen.tone === 'prompt') return '?';
  if (screen.tone === 'success') return marks.ok;
  return screen.tone === 'error' ? marks.fail : marks.lampOn;
}

/** Returns the index of the first visible tab. The selected tab is always visible. */
function firstTab(tabs: readonly string[], selected: number, room: number): number {
  let first = selected;
  let width = textWidth(tabs[selected] ?? '');
  while (first > 0 && width + textWidth(tabs[first - 1] as string) + 1 <= room) {
    first--;
    width += textWidth(tabs[first] as string) + 1;
  }
  return first;
}
