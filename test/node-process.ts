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
  // a paused child would not notice that this process has ended
  for (const child of running) child.kill('SIGKILL');
});

/** The memory that a process holds after a full garbage collection. */
export interface Memory {
  rssBytes: number;
  /** The part of the memory that objects and buffers use. */
  usedBytes: number;
  /** The size of V8's young generation. It grows with traffic and does not shrink again. */
  youngBytes: number;
}

/**
 * A Node process that is observed from outside. This class reads the first line of JSON that the process prints,
 * measures the resources that the process uses, and ends the process by a signal.
 */
export class NodeProcess<Ready> {
  /** The line that the process printed when it was ready. */
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
   * Starts `script` (a path, relative to the project's root) and waits until the process prints a line of JSON.
   * Everything that the process writes to standard error is appended to `logFile`. The process imports the module
   * `preload` first.
   * @throws Error with the process's standard error, if the process ends before it has printed the line
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
    ended.catch(() => {}); // an end of the process matters only before it has printed the line
    return new NodeProcess(child, await Promise.race([line, ended]), exited, () => log);
  }

  /** Starts `script` and kills the process after `lifeMs`, even if it is not ready by then. */
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

  /** Whether the process has ended, in any way. */
  get over(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The last part of what the process wrote to standard error. */
  get log(): string {
    return this.#log();
  }

  /** Sends Ctrl-C and waits for the end. Resolves to the exit code. */
  async stop(): Promise<number | NodeJS.Signals> {
    this.#child.kill('SIGINT');
    return this.exited;
  }

  /** Sends SIGKILL: no handler runs, and nothing is flushed. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  /** The processor time used so far, by the whole process and by its main thread. */
  cpu(): Promise<{ cpuMs: number; mainMs: number }> {
    return this.#ask('cpu');
  }

  /** Sends a message that needs no answer. */
  send(message: object): void {
    this.#child.send(message, () => {}); // the process may be gone
  }

  memory(): Promise<Memory> {
    return this.#ask('memory');
  }

  /**
   * How often the process waited for PostgreSQL. This works only if bench/programs/count-round-trips.ts is loaded into
   * it.
   */
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
