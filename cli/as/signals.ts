import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/** Signals that a terminal's keys and end send to all its programs, so to the command too. Passed on, they would come twice. */
const ofTerminals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGHUP'];

/** Passes on to a command the signals that this process gets, which ends when the command has. */
export class Signals {
  #command: ChildProcess | undefined;
  #early: NodeJS.Signals | undefined;

  constructor() {
    const inTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
    for (const signal of passedOn)
      process.on(signal, () => {
        if (!this.#command) this.#early ??= signal;
        else if (!inTerminal || !ofTerminals.includes(signal)) this.#command.kill(signal);
      });
  }

  /** The first that came before there was a command. */
  get early(): NodeJS.Signals | undefined {
    return this.#early;
  }

  passTo(command: ChildProcess): void {
    this.#command = command;
  }
}

/** As a shell says that a signal ended a command. */
export function codeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
