import { type ChildProcess, spawn } from 'node:child_process';
import { type SignalForwarder, signalExitCode } from './signals.ts';

/** The exit codes with which shells report that a program does not exist, or cannot be executed. */
const notFound = 127;
const notExecutable = 126;

/**
 * Runs the command in place of this process. The command takes over the input, the output and the signals of this
 * process.
 */
export async function runCommandInForeground(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  signals: SignalForwarder,
): Promise<{ code: number; ran: boolean }> {
  if (signals.early) return { code: signalExitCode(signals.early), ran: false };
  const [program = '', ...args] = argv;
  try {
    const command = spawn(program, args, { env, stdio: 'inherit' });
    signals.passTo(command);
    return { code: await exitCodeOf(command), ran: true };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    console.error(`pinpad: ${program} cannot be started: ${code ?? message}`);
    return { code: code === 'ENOENT' ? notFound : notExecutable, ran: false };
  }
}

/** Resolves to the exit code when the command has ended. Rejects if the command cannot be started. */
function exitCodeOf(command: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    command.once('exit', (code, signal) => resolve(signal ? signalExitCode(signal) : (code ?? 1)));
    command.on('error', (error: NodeJS.ErrnoException) => {
      if (command.pid === undefined) return reject(error);
      // While the command runs, an error means that this process may not send a signal to the command. An example is a
      // command that runs under sudo (B527).
      console.error(`pinpad: a signal was not passed on to the command: ${error.code}`);
    });
  });
}
