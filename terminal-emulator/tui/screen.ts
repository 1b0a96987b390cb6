import type { Readable, Writable } from 'node:stream';
import type { Widgets } from 'blessed';
import type { Clock } from '../../shared/clock.ts';
import type { WedgeSettings } from '../readers/wedge/wedge-settings.ts';
import type { Cell, Style, TuiPicture } from './canvas.ts';
import { bracketedPaste, type Keyboard, KeyInput } from './key-input.ts';
import type { KeyPress } from './key-map.ts';
import type { WindowTraits } from './window-traits.ts';

/** A window: process.stdout, or an object like process.stdout. */
export type ScreenOutput = Writable & { columns?: number; rows?: number };

export interface ScreenListeners {
  key(key: KeyPress): void;
  mouse(event: { action: 'click' | 'wheelUp' | 'wheelDown'; x: number; y: number }): void;
  resize(size: { columns: number; rows: number }): void;
  /**
   * Called with the tracks of a card when a keyboard-wedge reader has typed them. The tracks do not count as keys.
   */
  swipe(tracks: string): void;
  /** Whether digits that are typed now are part of a card number. */
  takesNumber(): boolean;
}

/** The window while the text UI occupies it. */
export interface TuiScreen {
  readonly size: { columns: number; rows: number };
  /** Shows a picture. Only the changes are sent to the window. */
  draw(view: TuiPicture): void;
  /** Restores the window. Calling it again does nothing. */
  close(): void;
}

interface ScreenOptions {
  readonly input: Keyboard;
  readonly output: ScreenOutput;
  readonly traits: WindowTraits;
  readonly clock: Clock;
  /**
   * The characters that keyboard-wedge readers type before and after the tracks. If absent, swipes are not
   * recognised, and the characters of a swipe count as keys.
   */
  readonly wedge?: WedgeSettings;
}

/** The parts of blessed that are missing in blessed's type declarations. */
type BlessedScreen = Widgets.Screen & {
  lines: (([number, string][] & { dirty: boolean }) | undefined)[];
  program: {
    tput: { brokenACS: boolean };
    enableMouse(): void;
    setMouse(modes: Record<string, boolean>, enable: boolean): void;
  };
};
interface BlessedKey {
  name?: string;
  full?: string;
}
interface BlessedMouse {
  action: string;
  x: number;
  y: number;
}

/**
 * Takes over the window. Only this function uses blessed. blessed has three tasks: to know the properties of the
 * terminal, to read keys and mouse, and to send the cells that have changed. Everything that is drawn is a
 * {@link View}.
 */
export async function openScreen(options: ScreenOptions, listeners: ScreenListeners): Promise<TuiScreen> {
  const { default: blessed } = await import('blessed');
  const { output, traits } = options;
  useOwnTerminfo(blessed);
  const input = new KeyInput(options.input, {
    clock: options.clock,
    wedge: options.wedge,
    swipe: (tracks) => listeners.swipe(tracks),
    takesNumber: () => listeners.takesNumber(),
  });
  const screen = blessed.screen({
    input: input as unknown as Readable & Writable,
    output: output as unknown as Readable & Writable,
    terminal: traits.terminfo,
    forceUnicode: traits.unicode,
    fullUnicode: traits.unicode,
    smartCSR: false,
    title: 'pinpad',
  }) as BlessedScreen;
  // Without this setting, blessed draws some frames with the alternate character set.
  screen.program.tput.brokenACS = true;
  const mouse = { vt200Mouse: true, sgrMouse: true };
  // By default, blessed makes the terminal report every movement of the mouse. Newer terminal windows do not support
  // the encoding of these reports, and the encoding fails beyond column 95. With this setting, the terminal window
  // reports only clicks.
  screen.program.enableMouse = () => screen.program.setMouse(mouse, true);
  const charWidth = (blessed as unknown as { unicode: { charWidth(ch: string): number } }).unicode.charWidth;
  listen(screen, listeners);
  output.write(bracketedPaste.on);
  let open = true;
  return {
    get size() {
      return sizeOf(output);
    },
    draw(view) {
      if (!open) return;
      paint(screen, view, traits.colour, charWidth);
      screen.draw(0, Math.min(view.rows, screen.lines.length) - 1);
    },
    close() {
      if (!open) return;
      open = false;
      output.write(bracketedPaste.off);
      screen.destroy();
      input.close();
    },
  };
}

function sizeOf(output: ScreenOutput): { columns: number; rows: number } {
  return { columns: output.columns || 80, rows: output.rows || 24 };
}

/** Makes blessed search for terminal descriptions only in blessed's own package. */
function useOwnTerminfo(blessed: unknown): void {
  (blessed as { Tput: { ipaths: string[] } }).Tput.ipaths = [];
}

function listen(screen: BlessedScreen, listeners: ScreenListeners): void {
  screen.on('keypress', (ch: string | undefined, key: BlessedKey | undefined) => {
    const name = key?.full ?? key?.name ?? '';
    // blessed reports Enter twice, as `return` and as `enter`.
    if (name === 'return') return;
    const printable = ch !== undefined && /^[^\p{Cc}]$/u.test(ch);
    listeners.key({ name: name === 'linefeed' ? 'enter' : name, text: printable ? ch : '' });
  });
  screen.on('mouse', ({ action, x, y }: BlessedMouse) => {
    if (action === 'mousedown') listeners.mouse({ action: 'click', x, y });
    if (action === 'wheelup') listeners.mouse({ action: 'wheelUp', x, y });
    if (action === 'wheeldown') listeners.mouse({ action: 'wheelDown', x, y });
  });
  screen.on('resize', () => listeners.resize(sizeOf(screen.program.output as unknown as ScreenOutput)));
}

/** Copies a picture into the cells of blessed. */
function paint(
  screen: BlessedScreen,
  view: TuiPicture,
  colour: boolean,
  charWidth: (ch: string) => number,
): void {
  for (const [y, row] of view.cells.entries()) {
    const line = screen.lines[y];
    if (!line) continue;
    for (const [x, cell] of row.entries()) {
      const old = line[x];
      if (!old) continue;
      const attribute = attributeOf(cell.style, colour);
      const ch = agreedCharacter(row, x, cell, charWidth);
      if (old[0] === attribute && old[1] === ch) continue;
      old[0] = attribute;
      old[1] = ch;
      line.dirty = true;
    }
  }
}

/**
 * Returns the character of a cell. A question mark replaces a character that has another width in blessed's older
 * tables, because such a character would shift the row.
 */
function agreedCharacter(
  row: readonly Cell[],
  x: number,
  cell: Cell,
  charWidth: (ch: string) => number,
): string {
  if (cell.ch === '')
    return agreedCharacter(row, x - 1, row[x - 1] as Cell, charWidth) === '?' ? ' ' : '\u0003';
  if (cell.ch < '\u007f') return cell.ch;
  const wide = row[x + 1]?.ch === '';
  return charWidth(cell.ch) === (wide ? 2 : 1) ? cell.ch : '?';
}

const defaultColour = 0x1ff;

/** Returns the number that blessed makes from the flags, the foreground and the background of a cell. */
function attributeOf(style: Style, colour: boolean): number {
  const flags = (style.bold ? 1 : 0) | (style.underline ? 2 : 0) | (style.inverse ? 8 : 0);
  const fg = colour ? (style.fg ?? defaultColour) : defaultColour;
  const bg = colour ? (style.bg ?? defaultColour) : defaultColour;
  return (flags << 18) | (fg << 9) | bg;
}
