import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/**
 * The signals that a terminal sends to all programs in its window, when a user presses a key or closes the window. The
 * command gets these signals from the terminal. If this process passed them on, the command would get each of them
 * twice.
 */
const ofTerminals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGHUP'];

/** Passes on to a command the signals that this process gets. This process ends when the command has ended. */
export class SignalForwarder {
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

  /** The first of the signals that came before the start of the command; undefined if none came. */
  get early(): NodeJS.Signals | undefined {
    return this.#early;
  }

  passTo(command: ChildProcess): void {
    this.#command = command;
  }
}

/** Returns the exit code with which a shell reports that a signal ended a command. */
export function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
