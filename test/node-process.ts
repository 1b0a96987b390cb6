import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '..');
const probe = join(import.meta.dirname, 'process-probe.ts');
const keptLogBytes = 50_000;
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL'); // one that is stopped would never find that nobody is left
});

/** Memory a process holds after a full collection. */
export interface Memory {
  rssBytes: number;
  /** Of that, what objects and buffers use. */
  usedBytes: number;
  /** Of that, V8's young generation: it grows with traffic and stays. */
  youngBytes: number;
}

/** A Node process seen from outside: its first line of JSON, what it used, and its end, gentle or not. */
export class NodeProcess<Ready> {
  /** What the process said when it was ready. */
  readonly ready: Ready;
  readonly exited: Promise<number | NodeJS.Signals>;
  #child: ChildProcess;
  #log: () => string;

  private constructor(
    child: ChildProcess,
    ready: Ready,
    exited: NodeProcess<Ready>['exited'],
    log: () => string,
  ) {
    this.#child = child;
    this.ready = ready;
    this.exited = exited;
    this.#log = log;
  }

  /**
   * Starts `script` (a path, from the project's root where it is relative) and waits for its one line of JSON. All it
   * writes to standard error is appended to `logFile`; `preload` is a module it imports first.
   *
   * @throws Error with what it wrote to standard error, when it ends first.
   */
  static async start<Ready>(
    script: string,
    args: readonly string[],
    options: { logFile?: string; preload?: string } = {},
  ): Promise<NodeProcess<Ready>> {
    const child = spawnNode(script, args, options.preload);
    let log = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      if (options.logFile !== undefined) appendFileSync(options.logFile, chunk);
      log = (log + chunk.toString()).slice(-keptLogBytes);
    });
    const exited = once(child, 'close').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
    const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
    const line = once(lines, 'line').then(([text]) => JSON.parse(text as string) as Ready);
    const ended = exited.then((how) => {
      throw new Error(`${script} ${args.join(' ')} ended (${how}) before it was ready:\n${log}`);
    });
    ended.catch(() => {}); // it ends some day; only before the line does that matter
    return new NodeProcess(child, await Promise.race([line, ended]), exited, () => log);
  }

  /** Starts `script` and kills it after `lifeMs`, whatever it is doing then. */
  static async startAndKill(script: string, args: readonly string[], lifeMs: number): Promise<void> {
    const child = spawnNode(script, args);
    const timer = setTimeout(() => child.kill('SIGKILL'), lifeMs);
    child.stdout?.resume();
    child.stderr?.resume();
    await once(child, 'close');
    clearTimeout(timer);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** It has ended, however. */
  get over(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The latest of what it wrote to standard error. */
  get log(): string {
    return this.#log();
  }

  /** Ctrl-C, then waits for the end; gives the exit code. */
  async stop(): Promise<number | NodeJS.Signals> {
    this.#child.kill('SIGINT');
    return this.exited;
  }

  /** SIGKILL: no handler runs, nothing is flushed. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  /** Processor time used so far: by all of it, and by its main thread. */
  cpu(): Promise<{ cpuMs: number; mainMs: number }> {
    return this.#ask('cpu');
  }

  /** Sends a message that is not answered. */
  send(message: object): void {
    this.#child.send(message, () => {}); // it may be gone
  }

  memory(): Promise<Memory> {
    return this.#ask('memory');
  }

  /** What it sent to PostgreSQL and waited for, where bench/programs/count-round-trips.ts is loaded into it. */
  roundTrips(): Promise<{ roundTrips: number }> {
    return this.#ask({ roundTrips: true });
  }

  async #ask<Answer>(question: 'cpu' | 'memory' | { roundTrips: true }): Promise<Answer> {
    const answer = once(this.#child, 'message');
    this.#child.send(question);
    return (await answer)[0] as Answer;
  }
}

function spawnNode(script: string, args: readonly string[], preload?: string): ChildProcess {
  const imports = [probe, ...(preload === undefined ? [] : [preload])].flatMap((file) => ['--import', file]);
  const child = spawn(process.execPath, ['--expose-gc', ...imports, resolve(root, script), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}
