import type { Canvas } from '../canvas.ts';
import { panelRows } from '../panel-rows.ts';
import type { TroubleMode } from '../source.ts';
import { selectedTerminal, type TuiState } from '../state.ts';
import { terminalName } from '../terminal-name.ts';
import { theme } from '../theme.ts';
import { type ListedTrouble, selectedTrouble, troubleRows } from '../troubles.ts';
import { windowStart } from '../window-start.ts';

const words: Record<TroubleMode, string> = { once: 'next', now: 'now', always: 'always' };

/**
 * Draws the troubles (things made to go wrong) that can be set at the terminal in view, for one payment or until they
 * are taken back.
 */
export function drawTroubles(canvas: Canvas, state: TuiState): void {
  const { marks, width } = canvas;
  canvas.hot({
    modal: true,
    wheelUp: { do: 'step', step: 'lineUp', panel: 'troubles' },
    wheelDown: { do: 'step', step: 'lineDown', panel: 'troubles' },
  });
  canvas.text(0, 0, marks.across.repeat(width), theme.panelFocused);
  const name = terminalName(state, selectedTerminal(state)?.terminal.poiId) || 'no terminal';
  canvas.text(2, 0, ` What goes wrong next on ${name} `, theme.panelFocused, width - 4);
  const rows = troubleRows(state);
  const selected = selectedTrouble(state);
  const at = rows.findIndex((row) => 'trouble' in row && row.trouble.id === selected?.id);
  const count = panelRows(state, 'troubles');
  const first = windowStart(at, rows.length, count);
  for (const [y, row] of rows.slice(first, first + count).entries()) {
    const line = canvas.within({ x: 0, y: 1 + y, width, height: 1 });
    if ('title' in row) line.text(1, 0, row.title, theme.strong);
    else drawTrouble(line, row.trouble, row.trouble.id === selected?.id);
  }
  if (rows.length === 0) canvas.text(1, 1, 'Nothing can be set from here.', theme.faint);
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
