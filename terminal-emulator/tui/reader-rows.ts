import { findSelectedTerminalAndScreen, type TuiState } from './state.ts';
import { wrap } from './text-width.ts';

/** The maximum number of rows about one reader. The full text is in the journal. */
const atMost = 3;

/** A row about one of the real card readers of the terminal in view. */
interface ReaderRow {
  readonly text: string;
  readonly ready: boolean;
  /** Whether this is the first row about the reader. If false, this row continues the row above. */
  readonly first: boolean;
}

/** The number of columns before the text. These columns contain the lamp and the word "reader". */
export const readerIndent = 10;

export function readerRows(state: TuiState, columns: number): ReaderRow[] {
  const readers = findSelectedTerminalAndScreen(state)?.terminal.readers ?? [];
  return readers
    .flatMap(({ ready, line }) =>
      wrap(line, columns - readerIndent - 1).map((text, row) => ({
        text,
        ready,
        first: row === 0,
      })),
    )
    .slice(0, atMost);
}
