import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import xterm from '@xterm/headless';
import type { Clock } from '../../shared/clock.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { until } from '../../test/until.ts';
import type { Keyboard } from './key-input.ts';
import { runTui, type TuiOptions } from './run-tui.ts';
import type { TuiSource } from './source.ts';

export interface DrawScreenOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Record<string, string>;
  readonly clock?: Clock;
  /** Called while the text UI takes over the window. */
  readonly opening?: (process: FakeProcess) => void;
}

/** Runs the text UI on a terminal in memory. Tests read what the text UI drew, and send keys and clicks. */
class DrawnScreen {
  readonly terminal: xterm.Terminal;
  readonly finished: Promise<void>;
  readonly process = new FakeProcess();
  readonly complaints: string[] = [];
  /** Everything that was written to the window. */
  sent = '';
  #input = Object.assign(new PassThrough(), { isTTY: true, isRaw: false, setRawMode });
  #output: Writable & { columns: number; rows: number };
  #writing: Promise<void> = Promise.resolve();

  constructor(
    source: TuiSource,
    { columns = 80, rows = 24, env = {}, clock, opening }: DrawScreenOptions = {},
  ) {
    this.terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    const write = (chunk: Buffer, _encoding: string, done: () => void) => {
      this.sent += chunk.toString();
      this.#writing = new Promise((resolve) => this.terminal.write(chunk, resolve));
      done();
    };
    this.#output = Object.assign(new Writable({ write }), { columns, rows, isTTY: true });
    const options: TuiOptions = {
      input: this.#input as unknown as Keyboard,
      output: this.#output,
      env: { TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
      platform: 'linux',
      frameMs: 0,
      clock: clock ?? createRuntime().realClock,
      process: this.process,
      complain: (text) => this.complaints.push(text),
    };
    this.finished = runTui(source, options);
    opening?.(this.process);
  }

  get raw(): boolean {
    return this.#input.isRaw;
  }

  /** Sends the characters that a keyboard or mouse would send, and waits until the result is drawn. */
  async type(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.#input.write(key);
      await this.drawn();
    }
  }

  /**
   * Clicks `ahead` columns to the right of the place where `text` begins. If several places show this text, takes the
   * first one.
   */
  async click(text: string, ahead = 0): Promise<void> {
    const { x, y } = this.find(text);
    await this.type(`\x1b[<0;${x + ahead + 1};${y + 1}M\x1b[<0;${x + ahead + 1};${y + 1}m`);
  }

  async wheel(direction: 'up' | 'down', text: string): Promise<void> {
    const { x, y } = this.find(text);
    await this.type(`\x1b[<${direction === 'up' ? 64 : 65};${x + 1};${y + 1}M`);
  }

  async resize(columns: number, rows: number): Promise<void> {
    this.terminal.resize(columns, rows);
    Object.assign(this.#output, { columns, rows });
    this.#output.emit('resize');
    await this.drawn();
  }

  endInput(): void {
    this.#input.end();
  }

  /**
   * Makes the streams behave as if the window were closed: from now on, every read, write or change of a setting
   * fails.
   */
  closeWindow(): void {
    const gone = Object.assign(new Error('EIO'), { code: 'EIO' });
    this.#input.setRawMode = () => {
      this.#input.emit('error', gone);
    };
    this.#output._write = (_chunk, _encoding, done) => done(gone);
    this.#input.emit('error', gone);
    this.#input.end();
  }

  /** Resolves when all changes are drawn. */
  async drawn(): Promise<void> {
    for (let turn = 0; turn < 8; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    await this.#writing;
  }

  get lines(): string[] {
    const buffer = this.terminal.buffer.active;
    return Array.from(
      { length: this.terminal.rows },
      (_, y) => buffer.getLine(y)?.translateToString(true).trimEnd() ?? '',
    );
  }

  /** The window's text, in the same form as in a golden file. */
  get text(): string {
    return `${this.lines.join('\n')}\n`;
  }

  find(text: string): { x: number; y: number } {
    const y = this.lines.findIndex((line) => line.includes(text));
    if (y < 0) throw new Error(`"${text}" is not on the screen:\n${this.text}`);
    return { x: this.#columnOf(y, this.lines[y]?.indexOf(text) ?? 0), y };
  }

  /**
   * Returns the column of a character in a row. A wide character takes two columns, so each wide character before
   * this one adds a column.
   */
  #columnOf(y: number, index: number): number {
    const line = this.terminal.buffer.active.getLine(y);
    let seen = 0;
    for (let x = 0; x < this.terminal.cols; x++) {
      if (seen >= index) return x;
      seen += line?.getCell(x)?.getChars().length || (line?.getCell(x)?.getWidth() === 0 ? 0 : 1);
    }
    return 0;
  }
}

function setRawMode(this: { isRaw: boolean }, raw: boolean): void {
  this.isRaw = raw;
}

/** Stands in for `process`. Its events tell the text UI that the process ends. */
class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];

  exit(code: number): void {
    this.exits.push(code);
  }
}

/** Shows the data of `source` on a terminal in memory, and waits for the first picture. */
export async function drawScreen(source: TuiSource, options: DrawScreenOptions = {}): Promise<DrawnScreen> {
  const drawn = new DrawnScreen(source, options);
  // The first picture takes a while, because blessed must first be loaded from disk.
  await until('the screen is drawn', () => drawn.sent !== '');
  await drawn.drawn();
  return drawn;
}
