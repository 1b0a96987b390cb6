import type { Area } from './canvas.ts';
import { latestOn } from './payments.ts';
import { readerRows } from './reader-rows.ts';
import type { TuiState } from './state.ts';

/** The smallest window everything fits in. */
export const smallest = { columns: 80, rows: 24 };

/** Where the parts of the screen are. */
export interface Layout {
  readonly header: Area;
  readonly device: Area;
  /** Absent where the receipt has no room beside the device and opens over it instead. */
  readonly receipt: Area | undefined;
  readonly cards: Area;
  /** Between the device and the journal; without rows where the terminal has no real card reader. */
  readonly readers: Area;
  readonly journal: Area;
  /** The terminal's latest payment; without rows before its first. */
  readonly outcome: Area;
  readonly notice: Area;
  readonly footer: Area;
  /** Whether the device has room for keys as tall as on a real one. */
  readonly tall: boolean;
}

const compactHeight = 16;
const tallHeight = 27;
const deviceWidth = 42;
const receiptWidth = 36;

export function isTooSmall({ columns, rows }: TuiState['size']): boolean {
  return columns < smallest.columns || rows < smallest.rows;
}

/** Lays the screen out; undefined where the window is too small. */
export function layoutOf(state: TuiState): Layout | undefined {
  const { columns, rows } = state.size;
  if (isTooSmall(state.size)) return undefined;
  const tall = rows >= tallHeight + 11;
  const wide = columns >= 116;
  const height = tall ? tallHeight : compactHeight;
  const left = columns - (wide ? receiptWidth : 0);
  const readersTop = 1 + height;
  const readers = readerRows(state, left).length;
  const below = readersTop + readers;
  const poiId = state.terminals[state.terminal]?.poiId ?? '';
  const outcome = latestOn(state.payments, poiId) ? 1 : 0;
  const bottom = rows - 2 - outcome;
  return {
    header: { x: 0, y: 0, width: columns, height: 1 },
    device: { x: 0, y: 1, width: deviceWidth, height },
    receipt: wide ? { x: left, y: 1, width: receiptWidth, height: bottom - 1 } : undefined,
    cards: { x: deviceWidth, y: 1, width: left - deviceWidth, height },
    readers: { x: 0, y: readersTop, width: left, height: readers },
    journal: { x: 0, y: below, width: left, height: bottom - below },
    outcome: { x: 0, y: bottom, width: columns, height: outcome },
    notice: { x: 0, y: rows - 2, width: columns, height: 1 },
    footer: { x: 0, y: rows - 1, width: columns, height: 1 },
    tall,
  };
}

/** A rectangle in the middle of the window, as large as asked or as there is room. */
export function middle(columns: number, rows: number, width: number, height: number): Area {
  const w = Math.min(width, columns);
  const h = Math.min(height, rows);
  return { x: Math.floor((columns - w) / 2), y: Math.floor((rows - h) / 2), width: w, height: h };
}
