import type { Canvas } from '../canvas.ts';
import { findListedTerminals } from '../listed-terminals.ts';
import { panelRowCount } from '../panel-row-count.ts';
import type { TuiState } from '../state.ts';
import { terminalNameColumns } from '../terminal-name.ts';
import { padEnd, truncateMiddle } from '../text-width.ts';
import { theme } from '../theme.ts';
import { stateMarkOf } from './header.ts';
import { beginPage, drawRows, drawSelection } from './page.ts';

/** Draws the list of terminals, each with its store and its screen. The user can choose one of them (B268). */
export function drawTerminals(canvas: Canvas, state: TuiState): void {
  const { marks } = canvas;
  const listed = findListedTerminals(state);
  const at = Math.max(0, Math.min(state.terminalAt, listed.length - 1));
  const found = `${listed.length} of ${state.terminals.length}`;
  beginPage(canvas, 'terminals', `Go to terminal /${state.terminalFilter}${marks.caret} ${found}`);
  const columns = terminalNameColumns(state);
  drawRows(canvas, listed, { at, most: panelRowCount(state, 'terminals') }, (row, listedOne, place) => {
    const { index, terminal, screen } = listedOne;
    const selected = place === at;
    const style = selected ? theme.selected : screen?.tone === 'prompt' ? theme.warning : theme.plain;
    drawSelection(row, selected, style);
    const name = padEnd(truncateMiddle(terminal.poiId, columns, marks.ellipsis), columns);
    const shown = [screen?.title || screen?.state, screen?.amount].filter(Boolean).join(' ');
    row.text(
      2,
      0,
      `${padEnd(stateMarkOf(screen, marks), 2)} ${name}  ${padEnd(shown, 28)} ${terminal.store}`,
      style,
    );
    row.hot({ click: { do: 'selectTerminal', index } });
  });
  if (listed.length === 0) canvas.text(1, 1, 'No terminal has all of these words.', theme.faint);
}
