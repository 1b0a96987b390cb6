import { helpColumns, makeTabSignsHelp } from './help-text.ts';
import { makeJournalEntrySheet } from './journal-entry-sheet.ts';
import { findListedJournalLines } from './journal-filter.ts';
import { asciiMarks, unicodeMarks } from './marks.ts';
import { makePaymentSheet } from './payment-sheet.ts';
import { posSetupRows } from './pos-setup-text.ts';
import { emptyLine, fieldLines, makeSheetLine, type Sheet, styleText, wrapSheetLine } from './sheet.ts';
import { findSelectedPayment, type TuiState } from './state.ts';
import { theme } from './theme.ts';

/** Returns the page that is open. Its lines are broken at the width of the window. */
export function makeCurrentSheet(state: TuiState): Sheet {
  const { title, lines } = sheetOf(state);
  return { title, lines: lines.flatMap((line) => wrapSheetLine(line, state.size.columns - 2)) };
}

function sheetOf(state: TuiState): Sheet {
  if (state.overlay === 'payment') {
    const payment = findSelectedPayment(state);
    return payment ? makePaymentSheet(state, payment) : { title: 'No payment yet', lines: [] };
  }
  if (state.overlay === 'help') return helpSheet(state);
  if (state.overlay === 'access') return accessSheet(state);
  const lines = findListedJournalLines(state);
  const isWanted = ({ seq }: { seq: number }) => seq === state.journalAt;
  // The list of lines may lack an entry that was opened from another page.
  const opened = lines.find(isWanted) ?? state.journal.find(isWanted);
  if (!opened && state.journalAt !== undefined)
    return { title: 'The journal no longer has this entry', lines: [] };
  const shown = opened ?? lines.at(-1);
  return shown ? makeJournalEntrySheet(state, shown) : { title: 'Nothing has happened yet', lines: [] };
}

/** Returns the help as a page with one column, for windows that are too small for two columns. */
function helpSheet({ unicode }: TuiState): Sheet {
  const sections = [...helpColumns.flat(), makeTabSignsHelp(unicode ? unicodeMarks : asciiMarks)];
  return {
    title: 'Help',
    lines: sections.flatMap(({ title, entries }) => [
      makeSheetLine(styleText(title, theme.strong)),
      ...entries.map(([keys, does]) =>
        makeSheetLine(styleText(keys.padEnd(12), theme.accent), styleText(does)),
      ),
      emptyLine,
    ]),
  };
}

function accessSheet(state: TuiState): Sheet {
  return {
    title: 'Your own POS',
    lines: posSetupRows(state).flatMap((row) =>
      typeof row === 'string'
        ? [makeSheetLine(styleText(row, theme.strong))]
        : fieldLines(row.name, row.value),
    ),
  };
}
