import type { Canvas } from '../canvas.ts';
import { listedTerminals } from '../listed-terminals.ts';
import { panelRows } from '../panel-rows.ts';
import type { TuiState } from '../state.ts';
import { terminalColumns } from '../terminal-name.ts';
import { padEnd, truncateMiddle } from '../text-width.ts';
import { theme } from '../theme.ts';
import { windowStart } from '../window-start.ts';
import { stateMark } from './header.ts';

/** Draws the list of terminals, each with its store and its screen. The user can choose one of them (B268). */
export function drawTerminals(canvas: Canvas, state: TuiState): void {
  const { marks, width } = canvas;
  canvas.hot({
    modal: true,
    wheelUp: { do: 'step', step: 'lineUp', panel: 'terminals' },
    wheelDown: { do: 'step', step: 'lineDown', panel: 'terminals' },
  });
  const listed = listedTerminals(state);
  const at = Math.max(0, Math.min(state.terminalAt, listed.length - 1));
  canvas.text(0, 0, marks.across.repeat(width), theme.panelFocused);
  const found = `${listed.length} of ${state.terminals.length}`;
  canvas.text(2, 0, ` Go to terminal /${state.terminalFilter}${marks.caret} ${found} `, theme.panelFocused);
  const rows = panelRows(state, 'terminals');
  const first = windowStart(at, listed.length, rows);
  const columns = terminalColumns(state);
  for (const [y, { index, terminal, screen }] of listed.slice(first, first + rows).entries()) {
    const row = canvas.within({ x: 0, y: 1 + y, width, height: 1 });
    const selected = first + y === at;
    const style = selected ? theme.selected : screen?.tone === 'prompt' ? theme.warning : theme.plain;
    if (selected) row.fill(style);
    row.text(0, 0, selected ? marks.selected : ' ', style);
    const name = padEnd(truncateMiddle(terminal.poiId, columns, marks.ellipsis), columns);
    const shown = [screen?.title || screen?.state, screen?.amount].filter(Boolean).join(' ');
    row.text(
      2,
      0,
      `${padEnd(stateMark(screen, marks), 2)} ${name}  ${padEnd(shown, 28)} ${terminal.store}`,
      style,
    );
    row.hot({ click: { do: 'selectTerminal', index } });
  }
  if (listed.length === 0) canvas.text(1, 1, 'No terminal has all of these words.', theme.faint);
}
