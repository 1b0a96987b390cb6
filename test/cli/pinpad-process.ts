import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { pinpadCommand } from '../built-package.ts';

/** What `pinpad up --json` prints when it is ready to serve. */
export interface ReadyPinpad {
  url: string;
  token: string;
  controlToken: string;
  terminals: { poiId: string; identifier: string; deviceKey: string }[];
  contacts: { id: string; account: string; creditCards: string[] }[];
  bankAccounts: { id: string; account: string }[];
  tokens: { account: string; environment: string; token: string }[];
  pid: number;
}

/** How a command ended, and everything that it printed. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A `pinpad` process, started as a user starts it. */
export class PinpadProcess {
  readonly child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #stdout = '';
  #stderr = '';
  #watchers = new Set<() => void>();

  constructor(args: string[], env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [pinpadCommand(), ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    this.#closed = once(this.child, 'close');
    this.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stdout += chunk;
      for (const watcher of this.#watchers) watcher();
    });
    this.child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stderr += chunk;
      for (const watcher of this.#watchers) watcher();
    });
    this.child.on('exit', () => {
      for (const watcher of this.#watchers) watcher();
    });
  }

  /**
   * Waits until the process has printed `wanted`, and resolves to everything that the process has printed so far.
   * Rejects if the process ends first.
   */
  printed(wanted: string): Promise<string> {
    return this.#holds(wanted, () => this.#stdout);
  }

  /** Does for standard error what {@link printed} does for standard output. */
  logged(wanted: string): Promise<string> {
    return this.#holds(wanted, () => this.#stderr);
  }

  /** Types a line into the process. */
  type(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  async #holds(wanted: string, text: () => string): Promise<string> {
    while (!text().includes(wanted)) {
      if (this.child.exitCode !== null) {
        await this.#closed;
        if (text().includes(wanted)) break;
        throw new Error(`it ended without "${wanted}": ${this.#stderr}`);
      }
      await new Promise<void>((resolve) => {
        const watcher = () => {
          this.#watchers.delete(watcher);
          resolve();
        };
        this.#watchers.add(watcher);
      });
    }
    return text();
  }

  async ready(): Promise<ReadyPinpad> {
    return JSON.parse((await this.printed('\n')).split('\n')[0] ?? '') as ReadyPinpad;
  }

  /** Waits until the process has ended. Resolves to its exit code and to everything that it printed. */
  async ended(): Promise<Ended> {
    await this.#closed;
    return { code: this.child.exitCode, stdout: this.#stdout, stderr: this.#stderr };
  }

  stop(signal: NodeJS.Signals = 'SIGINT'): Promise<Ended> {
    this.child.kill(signal);
    return this.ended();
  }
}
