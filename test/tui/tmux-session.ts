import { execFileSync } from 'node:child_process';
import { delay, systemClock } from '../../shared/clock.ts';
import { TmuxControl } from './tmux-control.ts';

const deadlineMs = 20_000;
/**
 * The window's content is also read at this interval, because the tmux client does not report changes of the window's
 * size.
 */
const lookAgainMs = 500;

/** Counts servers, so that each has a name of its own. A server that is ending may still be found by its name. */
let servers = 0;

/** A real terminal of any size. It is in a tmux server of its own, so that no other session is disturbed. */
export class TmuxSession {
  readonly #socket: string;
  readonly #control: TmuxControl;

  /**
   * @param name distinguishes this server from others on the machine
   * @param command what runs in the window
   */
  constructor(name: string, size: { columns: number; rows: number }, command: string) {
    this.#socket = `pinpad-${name}-${++servers}`;
    const { columns, rows } = size;
    this.#tmux('-f', '/dev/null', 'new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, command);
    this.#tmux('set-option', '-g', 'escape-time', '0');
    this.#control = new TmuxControl(['-L', this.#socket], environment());
  }

  /** Sends keys. Names are those of tmux (Enter, Escape, C-c). Any other text is typed as it is. */
  press(...keys: string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  type(text: string): void {
    this.#tmux('send-keys', '-l', text);
  }

  /** From now on, writes everything that is sent to the window into a file, unchanged. */
  record(file: string): void {
    this.#tmux('pipe-pane', `cat >> '${file}'`);
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', `${columns}`, '-y', `${rows}`);
  }

  /** Returns what the window shows, line by line. */
  lines(): string[] {
    return this.#tmux('capture-pane', '-p').replace(/\n$/, '').split('\n');
  }

  /** Returns the value of a tmux format of the window, such as `alternate_on`. */
  flag(name: string): string {
    return this.#tmux('display-message', '-p', `#{${name}}`).trim();
  }

  /**
   * Waits until the window shows what is expected, and resolves to its lines.
   * @throws Error with what the window shows instead, if a time limit passes first
   */
  async shows(
    expected: string | RegExp | ((lines: string[]) => boolean),
    withinMs = deadlineMs,
  ): Promise<string> {
    const isThere = (lines: string[]) => {
      if (typeof expected === 'function') return expected(lines);
      const text = lines.join('\n');
      return typeof expected === 'string' ? text.includes(expected) : expected.test(text);
    };
    const until = systemClock.now() + withinMs;
    for (;;) {
      const { lines, changed } = await this.#control.look();
      if (isThere(lines)) return lines.join('\n');
      if (systemClock.now() > until)
        throw new Error(`the window does not show ${expected} but\n${lines.join('\n')}`);
      await Promise.race([changed, delay(systemClock, lookAgainMs)]);
    }
  }

  close(): void {
    this.#control.close();
    try {
      this.#tmux('kill-server');
    } catch {
      // the server ended together with its last window
    }
  }

  #tmux(...args: string[]): string {
    return execFileSync('tmux', ['-L', this.#socket, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment(),
    });
  }
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, TERM: 'xterm-256color', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' };
}
