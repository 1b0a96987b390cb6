import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, delay } from '../../../shared/clock.ts';
import { makeStallTolerantClock } from '../stall-tolerant-clock.ts';
import type { PcscAnswer, PcscCalls, PcscRequest } from './pcsc-calls.ts';

/** Thrown if the service, or the package, reports that a call failed. */
export class PcscCallError extends Error {
  /** The code of Node's error, if the package could not be loaded. */
  readonly code: string | undefined;
  readonly loading: boolean;
  constructor(message: string, { code, loading = false }: { code?: string; loading?: boolean } = {}) {
    super(message);
    this.code = code;
    this.loading = loading;
  }
}

/** Thrown if the process that made a call has ended before the call was answered. */
export class PcscProcessEndedError extends Error {
  /** The call that took too long. It is undefined if the process ended for another reason. */
  readonly late: keyof PcscCalls | undefined;
  constructor(why: string, late?: keyof PcscCalls) {
    super(why);
    this.late = late;
  }
}

/** The time limit of a call, and the error message for a call that takes longer. */
export interface PcscCallTimeLimit {
  readonly limitMs: number;
  readonly why: string;
}

interface Awaited {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * Environment variables that would make Node or libpcsclite record the process's data, or make Node wait for a
 * debugger.
 */
const tellTales = /^(NODE_OPTIONS|NODE_DEBUG|NODE_DEBUG_NATIVE|NODE_V8_COVERAGE|PCSCLITE_DEBUG)$/;

/**
 * A process that makes PC/SC calls. The first call starts the process, and if the process has ended, the next call
 * starts it again. If a call takes too long, pinpad ends the process, because nothing else ends such a call (B204).
 * The output of the process is discarded, because the process handles card data.
 */
export class PcscProcess {
  readonly #smartcardFile: string;
  readonly #clock: Clock;
  readonly #awaited = new Map<number, Awaited>();
  #calls = 0;
  #child: ChildProcess | undefined;

  constructor(smartcardFile: string, clock: Clock) {
    this.#smartcardFile = smartcardFile;
    this.#clock = makeStallTolerantClock(clock);
  }

  /**
   * Makes a call in the process.
   * @throws PcscCallError if the call fails; PcscProcessEndedError for all open calls if one of these calls takes too
   * long
   */
  async call<Name extends keyof PcscCalls>(
    call: Name,
    args: Parameters<PcscCalls[Name]>,
    { limitMs, why }: PcscCallTimeLimit,
  ): Promise<ReturnType<PcscCalls[Name]>> {
    this.#child ??= this.#start();
    const id = ++this.#calls;
    const answered = new AbortController();
    const answer = new Promise<unknown>((resolve, reject) => this.#awaited.set(id, { resolve, reject }));
    // Errors are ignored: if the message cannot be sent, the process is about to end.
    if (this.#child.connected) this.#child.send({ id, call, args } satisfies PcscRequest, () => {});
    delay(this.#clock, limitMs, answered.signal).then(
      () => this.#end(new PcscProcessEndedError(why, call)),
      () => {},
    );
    try {
      return (await answer) as ReturnType<PcscCalls[Name]>;
    } finally {
      answered.abort();
    }
  }

  /** Ends the process at once, even during a call. The service then frees what the process held. */
  end(): void {
    this.#end(new PcscProcessEndedError('closed'));
  }

  #start(): ChildProcess {
    const program = new URL(`./pcsc-program${extname(import.meta.filename)}`, import.meta.url);
    const child = fork(fileURLToPath(program), [this.#smartcardFile], {
      execArgv: [],
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !tellTales.test(name))),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = (why: string) => {
      if (this.#child === child) this.#end(new PcscProcessEndedError(why));
    };
    child.on('message', (said) => this.#received(said as PcscAnswer));
    child.on('error', ({ message }) => ended(`the process for PC/SC cannot be started: ${message}`));
    child.on('exit', (code, signal) => ended(`the process for PC/SC ended by itself (${signal ?? code})`));
    return child;
  }

  #received(said: PcscAnswer): void {
    const awaited = this.#awaited.get(said.id);
    this.#awaited.delete(said.id);
    if ('failure' in said) awaited?.reject(new PcscCallError(said.failure.message, said.failure));
    else awaited?.resolve(said.result);
  }

  #end(error: PcscProcessEndedError): void {
    const awaited = [...this.#awaited.values()];
    this.#awaited.clear();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
    for (const { reject } of awaited) reject(error);
  }
}
