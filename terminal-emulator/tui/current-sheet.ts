import { helpColumns, tabSignsHelp } from './help-text.ts';
import { journalEntrySheet } from './journal-entry-sheet.ts';
import { listedJournalLines } from './journal-filter.ts';
import { asciiMarks, unicodeMarks } from './marks.ts';
import { paymentSheet } from './payment-sheet.ts';
import { posSetupRows } from './pos-setup-text.ts';
import { emptyLine, fieldLines, type Sheet, sheetLine, styleText, wrapSheetLine } from './sheet.ts';
import { selectedPayment, type TuiState } from './state.ts';
import { theme } from './theme.ts';

/** Returns the page that is open. Its lines are broken at the width of the window. */
export function currentSheet(state: TuiState): Sheet {
  const { title, lines } = sheetOf(state);
  return { title, lines: lines.flatMap((line) => wrapSheetLine(line, state.size.columns - 2)) };
}

function sheetOf(state: TuiState): Sheet {
  if (state.overlay === 'payment') {
    const payment = selectedPayment(state);
    return payment ? paymentSheet(state, payment) : { title: 'No payment yet', lines: [] };
  }
  if (state.overlay === 'help') return helpSheet(state);
  if (state.overlay === 'access') return accessSheet(state);
  const lines = listedJournalLines(state);
  const isWanted = ({ seq }: { seq: number }) => seq === state.journalAt;
  // The list of lines may lack an entry that was opened from another page.
  const shown = lines.find(isWanted) ?? state.journal.find(isWanted) ?? lines.at(-1);
  return shown ? journalEntrySheet(state, shown) : { title: 'Nothing has happened yet', lines: [] };
}

/** Returns the help as a page with one column, for windows that are too small for two columns. */
function helpSheet({ unicode }: TuiState): Sheet {
  const sections = [...helpColumns.flat(), tabSignsHelp(unicode ? unicodeMarks : asciiMarks)];
  return {
    title: 'Help',
    lines: sections.flatMap(({ title, entries }) => [
      sheetLine(styleText(title, theme.strong)),
      ...entries.map(([keys, does]) => sheetLine(styleText(keys.padEnd(12), theme.accent), styleText(does))),
      emptyLine,
    ]),
  };
}

function accessSheet(state: TuiState): Sheet {
  return {
    title: 'Your own POS',
    lines: posSetupRows(state).flatMap((row) =>
      typeof row === 'string' ? [sheetLine(styleText(row, theme.strong))] : fieldLines(row.name, row.value),
    ),
  };
}
