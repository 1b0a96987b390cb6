import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Clock, delay } from '../../shared/clock.ts';
import { describeFileFault } from '../../shared/file-fault.ts';
import { StartError } from '../../shared/start-error.ts';
import type { CommandExit } from './run-record.ts';
import type { CommandSecrets } from './secrets.ts';

/** The maximum number of lines of the command's output that are kept. */
const mostLines = 40;
/** The maximum number of characters of a line that are kept. The rest is cut off. */
const mostOfALine = 2_000;

/** A command that explore has started, in a process group of its own and with empty standard input. */
export class RunningCommand {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #secrets: CommandSecrets;
  readonly #ended: Promise<CommandExit>;
  #timedOut = false;
  #over = false;

  /** Starts the command. If there is no such program, {@link ended} rejects with a StartError */
  constructor(argv: readonly string[], env: NodeJS.ProcessEnv, secrets: CommandSecrets) {
    this.#secrets = secrets;
    const [program = '', ...args] = argv;
    this.#child = spawn(program, args, {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) if (stream) this.#keep(stream);
    this.#ended = new Promise((resolve, reject) => {
      this.#child.once('error', (error: NodeJS.ErrnoException) => {
        this.#over = true;
        reject(new StartError(`${program} cannot be started: ${whyNotStarted(error)}`));
      });
      this.#child.once('close', (code, signal) => {
        this.#over = true;
        resolve({ code: code ?? undefined, signal: signal ?? undefined, timedOut: this.#timedOut });
      });
    });
    this.#ended.catch(() => {});
  }

  /** The last lines of the command's standard output and standard error, in order of arrival. */
  get output(): readonly string[] {
    return this.#lines;
  }

  /** The id of the process that leads the command's group; undefined if there is no such program. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Resolves when the command has ended and all of its output has been read. */
  get ended(): Promise<CommandExit> {
    return this.#ended;
  }

  /**
   * Waits until the command ends. After `ms` real milliseconds, kills the command.
   *
   * @param stopped when it aborts, the command is killed
   * @param left when it aborts, the time limit no longer applies, because the command continues with its next run
   */
  async endedWithin(
    clock: Clock,
    ms: number,
    stopped: AbortSignal,
    left?: AbortSignal,
  ): Promise<CommandExit> {
    const enough = new AbortController();
    const lifted = left ? AbortSignal.any([enough.signal, left]) : enough.signal;
    const limit = delay(clock, ms, lifted).then(
      () => this.giveUp(),
      () => {},
    );
    const stop = () => this.kill();
    if (stopped.aborted) stop();
    stopped.addEventListener('abort', stop, { once: true });
    try {
      return await this.#ended;
    } finally {
      enough.abort();
      stopped.removeEventListener('abort', stop);
      await limit;
    }
  }

  /**
   * Asks the whole process group to end. After `ms` real milliseconds, kills the processes of the group that have not
   * ended.
   */
  async stop(clock: Clock, ms: number): Promise<CommandExit> {
    if (!this.#over) this.#signal('SIGTERM');
    const enough = new AbortController();
    const limit = delay(clock, ms, enough.signal).then(
      () => this.kill(),
      () => {},
    );
    try {
      return await this.#ended;
    } finally {
      enough.abort();
      await limit;
    }
  }

  /** Ends the command because it took too long. */
  giveUp(): void {
    this.#timedOut = true;
    this.kill();
  }

  /**
   * Kills the whole process group at once. If the command started processes in other groups, these processes continue.
   */
  kill(): void {
    this.#signal('SIGKILL');
    // The pipes are closed here, because processes in other groups may keep their ends of the pipes open for ever.
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32')
        spawn('taskkill', ['/pid', `${pid}`, '/T', '/F'], { stdio: 'ignore' });
      else process.kill(-pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // the whole group has ended already
    }
  }

  #keep(stream: Readable): void {
    createInterface({ input: stream }).on('line', (line) => {
      // Secrets are hidden before the line is cut, because half a token is still secret.
      this.#lines.push(this.#secrets.hide(line).slice(0, mostOfALine));
      if (this.#lines.length > mostLines) this.#lines.shift();
    });
  }
}

/** Returns the program and arguments that run a shell command, such as that of `--before`. */
export function makeShellArgv(text: string): readonly string[] {
  return process.platform === 'win32' ? ['cmd', '/d', '/s', '/c', text] : ['sh', '-c', text];
}

function whyNotStarted(error: NodeJS.ErrnoException): string {
  return error.code === 'ENOENT' ? 'there is no such program' : describeFileFault(error);
}
