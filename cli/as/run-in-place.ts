import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { codeOf, type Signals } from './signals.ts';

/** As shells say that there is no such program, or that it is none. */
const notFound = 127;
const notExecutable = 126;

/** Runs the command in place of this one: its input and output, its signals and its status are the command's. */
export async function runInPlace(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  signals: Signals,
): Promise<{ code: number; ran: boolean }> {
  if (signals.early) return { code: codeOf(signals.early), ran: false };
  const [program = '', ...args] = argv;
  const command = spawn(program, args, { env, stdio: 'inherit' });
  signals.passTo(command);
  try {
    const [code, signal] = (await once(command, 'exit')) as [number | null, NodeJS.Signals | null];
    return { code: signal ? codeOf(signal) : (code ?? 1), ran: true };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    console.error(`pinpad: ${program} cannot be started: ${code ?? message}`);
    return { code: code === 'ENOENT' ? notFound : notExecutable, ran: false };
  }
}
