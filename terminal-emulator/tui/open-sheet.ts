import { accessRows } from './access-text.ts';
import { entrySheet } from './entry-sheet.ts';
import { helpColumns, tabSigns } from './help-text.ts';
import { listedJournal } from './journal-filter.ts';
import { asciiMarks, unicodeMarks } from './marks.ts';
import { paymentSheet } from './payment-sheet.ts';
import { emptyLine, fieldLines, line, part, type Sheet, wrapped } from './sheet.ts';
import { selectedPayment, type TuiState } from './state.ts';
import { theme } from './theme.ts';

/** Returns the page that is open, with its lines broken to the width of the window. */
export function openSheet(state: TuiState): Sheet {
  const { title, lines } = sheetOf(state);
  return { title, lines: lines.flatMap((line) => wrapped(line, state.size.columns - 2)) };
}

function sheetOf(state: TuiState): Sheet {
  if (state.overlay === 'payment') {
    const payment = selectedPayment(state);
    return payment ? paymentSheet(state, payment) : { title: 'No payment yet', lines: [] };
  }
  if (state.overlay === 'help') return helpSheet(state);
  if (state.overlay === 'access') return accessSheet(state);
  const lines = listedJournal(state);
  const isWanted = ({ seq }: { seq: number }) => seq === state.journalAt;
  // If the entry was opened from another page, it may not be among the listed lines.
  const shown = lines.find(isWanted) ?? state.journal.find(isWanted) ?? lines.at(-1);
  return shown ? entrySheet(state, shown) : { title: 'Nothing has happened yet', lines: [] };
}

/** Returns the help as a page with one column, for windows that have no room for two. */
function helpSheet({ unicode }: TuiState): Sheet {
  const sections = [...helpColumns.flat(), tabSigns(unicode ? unicodeMarks : asciiMarks)];
  return {
    title: 'Help',
    lines: sections.flatMap(({ title, entries }) => [
      line(part(title, theme.strong)),
      ...entries.map(([keys, does]) => line(part(keys.padEnd(12), theme.accent), part(does))),
      emptyLine,
    ]),
  };
}

function accessSheet(state: TuiState): Sheet {
  return {
    title: 'Your own POS',
    lines: accessRows(state).flatMap((row) =>
      typeof row === 'string' ? [line(part(row, theme.strong))] : fieldLines(row.name, row.value),
    ),
  };
}
