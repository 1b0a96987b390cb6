import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
  const command = spawn(program, args, { env, stdio: 'inherit' });
  signals.passTo(command);
  try {
    const [code, signal] = (await once(command, 'exit')) as [number | null, NodeJS.Signals | null];
    return { code: signal ? signalExitCode(signal) : (code ?? 1), ran: true };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    console.error(`pinpad: ${program} cannot be started: ${code ?? message}`);
    return { code: code === 'ENOENT' ? notFound : notExecutable, ran: false };
  }
}
