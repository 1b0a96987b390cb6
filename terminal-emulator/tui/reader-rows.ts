import { selectedTerminal, type TuiState } from './state.ts';
import { wrap } from './text-width.ts';

/** More are cut off: the journal has them in full. */
const atMost = 3;

/** One row of what the real card readers of the terminal on the screen say of themselves. */
interface ReaderRow {
  readonly text: string;
  readonly ready: boolean;
  /** False if the row continues the row above. */
  readonly first: boolean;
}

/** Columns before the text: the lamp and the word reader. */
export const readerIndent = 10;

export function readerRows(state: TuiState, columns: number): ReaderRow[] {
  const readers = selectedTerminal(state)?.terminal.readers ?? [];
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
