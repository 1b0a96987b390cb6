import type { Canvas, Style } from '../canvas.ts';
import type { JournalLine } from '../journal-lines.ts';
import { panelRows } from '../panel-rows.ts';
import { listedJournal, type TuiState } from '../state.ts';
import { padEnd, textWidth, truncateMiddle } from '../text-width.ts';
import { theme } from '../theme.ts';
import { drawPanelTitle } from './panel-frame.ts';

/** What happened, newest at the bottom, following unless it was scrolled back. */
export function drawJournal(canvas: Canvas, state: TuiState): void {
  const focused = state.focus === 'journal' || state.overlay === 'journal';
  canvas.hot({
    click: { do: 'focus', panel: 'journal' },
    wheelUp: { do: 'step', step: 'lineUp', panel: 'journal' },
    wheelDown: { do: 'step', step: 'lineDown', panel: 'journal' },
  });
  const { marks, width } = canvas;
  canvas.text(0, 0, marks.across.repeat(width), focused ? theme.panelFocused : theme.panel);
  drawPanelTitle(canvas, 'Journal', focused);
  const lines = listedJournal(state);
  const rows = panelRows(state, 'journal');
  const back = Math.min(state.journalBack, Math.max(0, lines.length - rows));
  drawSwitches(canvas, state, back);
  const end = lines.length - back;
  const names = nameColumn(state, marks.ellipsis);
  for (const [index, line] of lines.slice(Math.max(0, end - rows), end).entries())
    drawLine(canvas, 1 + index, line, names(line.terminal), styles[line.tone]);
  if (lines.length === 0) canvas.text(1, 1, 'Nothing has happened yet.', theme.faint);
}

function drawSwitches(canvas: Canvas, state: TuiState, back: number): void {
  const follow = back > 0 ? ` ${canvas.marks.down} ${back} newer, End follows ` : ' following ';
  const details = state.details ? ' d less ' : ' d details ';
  const larger = state.overlay === 'journal' ? ' j smaller ' : ' j larger ';
  let right = canvas.width - 1;
  const place = (text: string, click: Parameters<Canvas['hot']>[0]) => {
    canvas.textRight(right, 0, text, theme.faint);
    const width = textWidth(text);
    canvas.hotspot({ x: right - width, y: 0, width, height: 1 }, click);
    right -= width + 1;
  };
  place(larger, {
    click: state.overlay === 'journal' ? { do: 'close' } : { do: 'open', overlay: 'journal' },
  });
  place(details, { click: { do: 'details' } });
  place(follow, { click: { do: 'step', step: 'end', panel: 'journal' } });
}

const styles: Record<JournalLine['tone'], Style> = {
  neutral: theme.plain,
  success: theme.success,
  error: theme.error,
  warning: theme.warning,
};

/** Says which terminal a line is about, in a column as wide as the names, where there are several. */
function nameColumn(state: TuiState, ellipsis: string): (poiId: string | undefined) => string {
  if (state.terminals.length < 2) return () => '';
  const names = new Map(state.terminals.map(({ poiId, name }) => [poiId, name]));
  const width = Math.min(14, Math.max(...state.terminals.map(({ name }) => textWidth(name))));
  return (poiId) => `${padEnd(truncateMiddle(names.get(poiId ?? '') ?? '', width, ellipsis), width)} `;
}

function drawLine(canvas: Canvas, y: number, line: JournalLine, name: string, style: Style): void {
  const { marks } = canvas;
  let x = canvas.text(1, y, `${line.time} `, theme.faint);
  x = canvas.text(x, y, name, theme.faint);
  const mark = { neutral: ' ', success: marks.ok, error: marks.fail, warning: '!' }[line.tone];
  canvas.text(x, y, mark, style);
  canvas.text(x + 1 + textWidth(marks.ok), y, line.text, line.detail ? theme.faint : style);
}
