import type { Area } from './canvas.ts';
import { latestPaymentOn } from './payments.ts';
import { readerRows } from './reader-rows.ts';
import type { TuiState } from './state.ts';

/**
 * The minimum size of a window in which the text UI draws anything, and the minimum size of a window in which it draws
 * the device.
 */
export const smallestWindow = { columns: 60, rows: 15 };
const smallestDrawn = { columns: 80, rows: 24 };

/** Where the parts of the screen are. */
export interface Layout {
  readonly header: Area;
  /**
   * The area of the terminal. It contains the device. If the device is folded, it contains only the text on the
   * device's screen.
   */
  readonly device: Area;
  readonly folded: boolean;
  /**
   * The area of the receipt. If there is no room beside the device, this area is undefined, and the receipt is drawn
   * over the device.
   */
  readonly receipt: Area | undefined;
  /** The area of the tray. If the device is folded, the tray has one row, for the selected card. */
  readonly cards: Area;
  /** The area of the real card readers, below the device. It has no rows if the terminal has no such reader. */
  readonly readers: Area;
  readonly sales: Area;
  /**
   * The area of the journal. If there is no room below the sales, this area is undefined, and the journal is drawn
   * over everything.
   */
  readonly journal: Area | undefined;
  /** The area of the terminal's latest payment. It has no rows before the first payment. */
  readonly outcome: Area;
  readonly notice: Area;
  readonly footer: Area;
  /** Whether there is enough room for tall keys, like the keys of a real device. */
  readonly tall: boolean;
}

const compactHeight = 16;
const tallHeight = 27;
const foldedHeight = 6;
const deviceWidth = 42;
const receiptWidth = 36;
/**
 * The width of the title above the sales. The outcome of the terminal's last payment is drawn to the right of this
 * title.
 */
const salesTitleWidth = 12;

export function isTooSmall({ columns, rows }: TuiState['size']): boolean {
  return columns < smallestWindow.columns || rows < smallestWindow.rows;
}

/** Whether the window is too small for the drawn device. */
export function isTooSmallForDevice({ columns, rows }: TuiState['size']): boolean {
  return columns < smallestDrawn.columns || rows < smallestDrawn.rows;
}

/** Returns where the parts of the screen are; undefined if the window is too small. */
export function layoutOf(state: TuiState): Layout | undefined {
  if (isTooSmall(state.size)) return undefined;
  return state.folded || isTooSmallForDevice(state.size) ? foldedLayout(state) : drawnLayout(state);
}

function drawnLayout(state: TuiState): Layout {
  const { columns, rows } = state.size;
  const tall = rows >= tallHeight + 13;
  const wide = columns >= 116;
  const height = tall ? tallHeight : compactHeight;
  const left = columns - (wide ? receiptWidth : 0);
  const top = 1 + height;
  const readers = readerRows(state, left).length;
  const bottom = rows - 2;
  const below = bottom - top - readers;
  const journalRows = wide ? Math.floor(below / 2) : 0;
  const sales = { x: 0, y: top + readers, width: left, height: below - journalRows };
  return {
    ...edges(state, sales),
    device: { x: 0, y: 1, width: deviceWidth, height },
    folded: false,
    receipt: wide ? { x: left, y: 1, width: receiptWidth, height: bottom - 1 } : undefined,
    cards: { x: deviceWidth, y: 1, width: left - deviceWidth, height },
    readers: { x: 0, y: top, width: left, height: readers },
    sales,
    journal: wide ? { x: 0, y: bottom - journalRows, width: left, height: journalRows } : undefined,
    tall,
  };
}

function foldedLayout(state: TuiState): Layout {
  const { columns, rows } = state.size;
  const top = 1 + foldedHeight + 1;
  const sales = { x: 0, y: top, width: columns, height: rows - 2 - top };
  return {
    ...edges(state, sales),
    device: { x: 0, y: 1, width: columns, height: foldedHeight },
    folded: true,
    receipt: undefined,
    cards: { x: 0, y: 1 + foldedHeight, width: columns, height: 1 },
    readers: { x: 0, y: top, width: columns, height: 0 },
    sales,
    journal: undefined,
    tall: false,
  };
}

/**
 * Returns the areas at the edges of the screen, and the area to the right of the title above the sales. Every layout
 * has the same areas there.
 */
function edges(state: TuiState, sales: Area): Pick<Layout, 'header' | 'outcome' | 'notice' | 'footer'> {
  const { columns, rows } = state.size;
  const poiId = state.terminals[state.terminal]?.poiId ?? '';
  const outcome = latestPaymentOn(state.payments, poiId) ? 1 : 0;
  return {
    header: { x: 0, y: 0, width: columns, height: 1 },
    outcome: { x: salesTitleWidth, y: sales.y, width: sales.width - salesTitleWidth, height: outcome },
    notice: { x: 0, y: rows - 2, width: columns, height: 1 },
    footer: { x: 0, y: rows - 1, width: columns, height: 1 },
  };
}

/** Returns a rectangle in the middle of the window. It has the given size if there is room for it. */
export function centreArea(columns: number, rows: number, width: number, height: number): Area {
  const w = Math.min(width, columns);
  const h = Math.min(height, rows);
  return { x: Math.floor((columns - w) / 2), y: Math.floor((rows - h) / 2), width: w, height: h };
}
