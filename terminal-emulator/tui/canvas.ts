import type { TuiCommand } from './command.ts';
import type { Marks } from './marks.ts';
import { glyphsOf, textWidth, truncate } from './text-width.ts';

/**
 * The appearance of a cell. Colours are numbers of the 256-colour palette. If a colour is absent, the cell has the
 * default colour of the window.
 */
export interface Style {
  readonly fg?: number;
  readonly bg?: number;
  readonly bold?: boolean;
  readonly inverse?: boolean;
  readonly underline?: boolean;
}

/** One column of one row. A wide character is followed by a cell with an empty `ch`. */
export interface Cell {
  readonly ch: string;
  readonly style: Style;
}

/** A rectangle. Its position and its size are counted in columns and rows; the first column and row are 0. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** An area in which a click or the wheel has an effect. */
interface Hotspot extends Area {
  readonly click?: TuiCommand;
  readonly wheelUp?: TuiCommand;
  readonly wheelDown?: TuiCommand;
  /** If true, a click or the wheel in this area never reaches the hotspots below this one. */
  readonly modal?: boolean;
}

/** The commands of a hotspot, without its area. */
type Does = Omit<Hotspot, keyof Area>;

/**
 * A picture of the whole screen as data: the text, the style of the text, and the areas in which a click has an
 * effect.
 */
export interface TuiPicture {
  readonly columns: number;
  readonly rows: number;
  readonly cells: readonly (readonly Cell[])[];
  /** If several hotspots overlap, the last one is on top. */
  readonly hotspots: readonly Hotspot[];
}

const plain: Style = {};
const blank: Cell = { ch: ' ', style: plain };

/**
 * A surface to draw on. `within` returns a part of the surface. The part has its own origin, and nothing is drawn
 * beyond its edges.
 */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly marks: Marks;
  #cells: Cell[][];
  #hotspots: Hotspot[];
  #left: number;
  #top: number;

  static of(columns: number, rows: number, marks: Marks): Canvas {
    const cells = Array.from({ length: rows }, () => new Array<Cell>(columns).fill(blank));
    return new Canvas(cells, [], { x: 0, y: 0, width: columns, height: rows }, marks);
  }

  private constructor(cells: Cell[][], hotspots: Hotspot[], area: Area, marks: Marks) {
    this.#cells = cells;
    this.#hotspots = hotspots;
    this.#left = area.x;
    this.#top = area.y;
    this.width = area.width;
    this.height = area.height;
    this.marks = marks;
  }

  within(area: Area): Canvas {
    const width = Math.max(0, Math.min(area.width, this.width - area.x));
    const height = Math.max(0, Math.min(area.height, this.height - area.y));
    const moved = { x: this.#left + area.x, y: this.#top + area.y, width, height };
    return new Canvas(this.#cells, this.#hotspots, moved, this.marks);
  }

  /**
   * Draws one row of text. The text is cut off after `columns` columns or at the edge. Returns the first column after
   * the text.
   */
  text(x: number, y: number, given: string, style: Style = plain, columns = this.width - x): number {
    const room = Math.min(columns, this.width - x);
    let column = x;
    const text = this.#shown(given);
    for (const glyph of glyphsOf(truncate(text, room, this.marks.ellipsis))) {
      const ch = this.marks.unicode ? glyph.ch : asciiOf(glyph.ch);
      this.#put(column, y, { ch, style });
      if (glyph.width === 2) this.#put(column + 1, y, { ch: this.marks.unicode ? '' : ch, style });
      column += glyph.width;
    }
    return column;
  }

  /** Draws text that ends right before column `right`. */
  textRight(right: number, y: number, given: string, style: Style = plain): void {
    const text = this.#shown(given);
    this.text(Math.max(0, right - textWidth(text)), y, text, style);
  }

  textCentred(y: number, given: string, style: Style = plain): void {
    const text = this.#shown(given);
    this.text(Math.max(0, Math.floor((this.width - textWidth(text)) / 2)), y, text, style);
  }

  fill(style: Style, area: Area = { x: 0, y: 0, width: this.width, height: this.height }): void {
    for (let y = area.y; y < area.y + area.height; y++) {
      for (let x = area.x; x < area.x + area.width; x++) this.#put(x, y, { ch: ' ', style });
    }
  }

  /** Draws a frame at the edges of this canvas, and returns the canvas inside the frame. */
  frame(style: Style, lines = this.marks.round): Canvas {
    const [topLeft, across, topRight, down, bottomLeft, bottomRight] = lines;
    const bar = across.repeat(Math.max(0, this.width - 2));
    this.text(0, 0, topLeft + bar + topRight, style);
    for (let y = 1; y < this.height - 1; y++) {
      this.text(0, y, down, style);
      this.text(this.width - 1, y, down, style);
    }
    this.text(0, this.height - 1, bottomLeft + bar + bottomRight, style);
    return this.within({ x: 1, y: 1, width: this.width - 2, height: this.height - 2 });
  }

  hotspot(area: Area, does: Does): void {
    const { width, height } = area;
    this.#hotspots.push({ x: this.#left + area.x, y: this.#top + area.y, width, height, ...does });
  }

  /** Makes the whole area of this canvas a hotspot. */
  hot(does: Does): void {
    this.hotspot({ x: 0, y: 0, width: this.width, height: this.height }, does);
  }

  view(): TuiPicture {
    const rows = this.#cells.length;
    return { columns: this.#cells[0]?.length ?? 0, rows, cells: this.#cells, hotspots: this.#hotspots };
  }

  #shown(text: string): string {
    return this.marks.unicode ? text : withCurrencyCodes(text);
  }

  #put(x: number, y: number, cell: Cell): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    const row = this.#cells[this.#top + y];
    const column = this.#left + x;
    if (!row || column >= row.length) return;
    this.#fixWide(row, column, cell);
    row[column] = cell;
  }

  /** If something is drawn over one half of a wide character, clears the other half. */
  #fixWide(row: Cell[], column: number, cell: Cell): void {
    const old = row[column] as Cell;
    const left = row[column - 1];
    if (old.ch === '' && cell.ch !== '' && left) row[column - 1] = { ch: ' ', style: left.style };
    const right = row[column + 1];
    if (right?.ch === '' && old.ch !== '') row[column + 1] = { ch: ' ', style: right.style };
  }
}

/** The currencies whose signs are not ASCII characters. */
const currencies: Record<string, string> = {
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₩': 'KRW',
  '₹': 'INR',
  '₺': 'TRY',
  '₽': 'RUB',
  '₪': 'ILS',
  '₫': 'VND',
  '₴': 'UAH',
  '₱': 'PHP',
};

/** Replaces currency signs by codes, so that `€14.16` becomes `EUR 14.16`, and `14,16 €` becomes `14,16 EUR`. */
function withCurrencyCodes(text: string): string {
  return text.replaceAll(/(\p{Sc})(?=(\d?))/gu, (sign, _sign, digit) =>
    currencies[sign] ? `${currencies[sign]}${digit ? ' ' : ''}` : sign,
  );
}

/** Returns the letter without its accent. Returns a question mark if ASCII has no similar letter. */
function asciiOf(ch: string): string {
  const letter = ch.normalize('NFD')[0] as string;
  return letter <= '~' ? letter : '?';
}

/**
 * Returns the command of a click or of the wheel at a point. If several hotspots contain the point, the topmost one
 * that has such a command decides. A modal hotspot hides all hotspots below it, even if it has no command.
 */
export function commandUnderMouse(
  view: TuiPicture,
  action: 'click' | 'wheelUp' | 'wheelDown',
  x: number,
  y: number,
): TuiCommand | undefined {
  const hit = view.hotspots.findLast(
    (spot) =>
      (spot[action] || spot.modal) &&
      x >= spot.x &&
      x < spot.x + spot.width &&
      y >= spot.y &&
      y < spot.y + spot.height,
  );
  return hit?.[action];
}
