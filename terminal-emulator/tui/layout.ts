import type { Area } from './canvas.ts';

/** The smallest window everything fits in. */
export const smallest = { columns: 80, rows: 24 };

/** Where the parts of the screen are. */
export interface Layout {
  readonly header: Area;
  readonly device: Area;
  /** Absent where the receipt has no room beside the device and opens over it instead. */
  readonly receipt: Area | undefined;
  readonly cards: Area;
  readonly journal: Area;
  readonly notice: Area;
  readonly footer: Area;
  /** Whether the device has room for keys as tall as on a real one. */
  readonly tall: boolean;
}

const compactHeight = 16;
const tallHeight = 27;
const deviceWidth = 42;
const receiptWidth = 36;

/** Lays the screen out; undefined where the window is too small. */
export function layoutOf(columns: number, rows: number): Layout | undefined {
  if (columns < smallest.columns || rows < smallest.rows) return undefined;
  const tall = rows >= tallHeight + 11;
  const wide = columns >= 116;
  const height = tall ? tallHeight : compactHeight;
  const cardsLeft = deviceWidth + (wide ? receiptWidth : 0);
  const below = 1 + height;
  return {
    header: { x: 0, y: 0, width: columns, height: 1 },
    device: { x: 0, y: 1, width: deviceWidth, height },
    receipt: wide ? { x: deviceWidth, y: 1, width: receiptWidth, height } : undefined,
    cards: { x: cardsLeft, y: 1, width: columns - cardsLeft, height },
    journal: { x: 0, y: below, width: columns, height: rows - 2 - below },
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
