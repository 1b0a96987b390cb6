import { entrySheet } from './entry-sheet.ts';
import { listedJournal } from './journal-filter.ts';
import { paymentSheet } from './payment-sheet.ts';
import { type Sheet, wrapped } from './sheet.ts';
import { selectedPayment, type TuiState } from './state.ts';

/** The page that is open, its lines broken to the width of the window. */
export function openSheet(state: TuiState): Sheet {
  const { title, lines } = sheetOf(state);
  return { title, lines: lines.flatMap((line) => wrapped(line, state.size.columns - 2)) };
}

function sheetOf(state: TuiState): Sheet {
  if (state.overlay === 'payment') {
    const payment = selectedPayment(state);
    return payment ? paymentSheet(state, payment) : { title: 'No payment yet', lines: [] };
  }
  const lines = listedJournal(state);
  const line = lines.find(({ seq }) => seq === state.journalAt) ?? lines.at(-1);
  return line ? entrySheet(state, line) : { title: 'Nothing has happened yet', lines: [] };
}
