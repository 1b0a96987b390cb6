import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const command = join(import.meta.dirname, '../../bin/pinpad.js');

/** What `pinpad up --json` prints when it is ready. */
export interface Ready {
  url: string;
  token: string;
  controlToken: string;
  terminals: { poiId: string; identifier: string; deviceKey: string }[];
  tokens: { account: string; environment: string; token: string }[];
  pid: number;
}

/** A `pinpad` process, as a user starts it. */
export class PinpadProcess {
  readonly child: ChildProcess;
  readonly #stderr: Promise<string>;
  #stdout = '';
  #watchers = new Set<() => void>();

  constructor(args: string[], env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [command, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    this.#stderr = text(this.child.stderr as NonNullable<ChildProcess['stderr']>);
    this.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stdout += chunk;
      for (const watcher of this.#watchers) watcher();
    });
    this.child.on('exit', () => {
      for (const watcher of this.#watchers) watcher();
    });
  }

  /** Everything printed so far, once `wanted` is in it; fails when the process ends without it. */
  async printed(wanted: string): Promise<string> {
    while (!this.#stdout.includes(wanted)) {
      if (this.child.exitCode !== null)
        throw new Error(`it ended without "${wanted}": ${await this.#stderr}`);
      await new Promise<void>((resolve) => {
        const watcher = () => {
          this.#watchers.delete(watcher);
          resolve();
        };
        this.#watchers.add(watcher);
      });
    }
    return this.#stdout;
  }

  async ready(): Promise<Ready> {
    return JSON.parse((await this.printed('\n')).split('\n')[0] ?? '') as Ready;
  }

  /** Waits for the end: exit code and everything printed. */
  async ended(): Promise<{ code: number | null; stdout: string; stderr: string }> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return { code: this.child.exitCode, stdout: this.#stdout, stderr: await this.#stderr };
  }

  stop(signal: NodeJS.Signals = 'SIGINT'): Promise<{ code: number | null; stdout: string; stderr: string }> {
    this.child.kill(signal);
    return this.ended();
  }
}
