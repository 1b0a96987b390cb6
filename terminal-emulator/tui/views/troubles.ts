import type { Canvas } from '../canvas.ts';
import { panelRowCount } from '../panel-row-count.ts';
import type { TroubleMode } from '../source.ts';
import { findSelectedTerminalAndScreen, type TuiState } from '../state.ts';
import { terminalNameOf } from '../terminal-name.ts';
import { theme } from '../theme.ts';
import { findSelectedTrouble, type ListedTrouble, troubleRows } from '../troubles.ts';
import { beginPage, drawRows } from './page.ts';

const words: Record<TroubleMode, string> = { once: 'next', now: 'now', always: 'always' };

/**
 * Draws the troubles (things that are made to go wrong) that can be set at the terminal in view. A trouble is set for
 * one payment, or until the user removes it.
 */
export function drawTroubles(canvas: Canvas, state: TuiState): void {
  const name = terminalNameOf(state, findSelectedTerminalAndScreen(state)?.terminal.poiId) || 'no terminal';
  beginPage(canvas, 'troubles', `What goes wrong next on ${name}`, canvas.width - 4);
  const rows = troubleRows(state);
  const selected = findSelectedTrouble(state);
  const at = rows.findIndex((row) => 'trouble' in row && row.trouble.id === selected?.id);
  drawRows(canvas, rows, { at, most: panelRowCount(state, 'troubles') }, (line, row) => {
    if ('title' in row) line.text(1, 0, row.title, theme.strong);
    else drawTrouble(line, row.trouble, row.trouble.id === selected?.id);
  });
  if (rows.length === 0) canvas.text(1, 1, 'No failure can be set from this screen.', theme.faint);
}

const modeWidth = 12;

function drawTrouble(row: Canvas, trouble: ListedTrouble, selected: boolean): void {
  const { marks, width } = row;
  const { id, text, mode, modes } = trouble;
  const style = selected ? theme.selected : mode ? theme.warning : theme.plain;
  if (selected) row.fill(style);
  const left = width - 2 * modeWidth;
  row.text(1, 0, `${selected ? marks.selected : ' '} ${text}`, style, left - 2);
  row.hot({ click: { do: 'selectTrouble', id } });
  for (const each of modes) {
    const x = left + (each === 'always' ? modeWidth : 0);
    const end = row.text(x, 0, `(${mode === each ? marks.lampOn : ' '}) ${words[each]}`, style);
    row.hotspot({ x, y: 0, width: end - x, height: 1 }, { click: { do: 'setTrouble', id, mode: each } });
  }
}
