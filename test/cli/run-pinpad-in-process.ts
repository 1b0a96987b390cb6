import { Console } from 'node:console';
import type { EventEmitter } from 'node:events';
import { main } from '../../cli/main.ts';
import type { Ended } from './pinpad-process.ts';

/**
 * Runs a command in the test's own process, as `bin/pinpad.js` would run it. The output and the exit code are the
 * same, but no process has to be started. The command has to end without a signal. For each command, another test
 * starts a {@link PinpadProcess} and checks that a real process ends too. Only one command can run at a time,
 * because each command uses the output of the test's process.
 */
export async function runPinpadInProcess(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const [stdout, stderr] = [captured(process.stdout), captured(process.stderr)];
  const undo = [
    stdout.release,
    stderr.release,
    keptEnvironment(),
    keptListeners(process.stdout, 'error'),
    ...(['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => keptListeners(process, signal)),
    keptConsole(),
  ];
  const { exitCode } = process;
  process.exitCode = undefined;
  Object.assign(process.env, env);
  try {
    await main([process.execPath, 'pinpad', ...args]);
    return { code: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.exitCode = exitCode;
    for (const each of undo) each();
  }
}

/** Collects the text that would be written to a stream. */
function captured(stream: NodeJS.WriteStream): { text(): string; release(): void } {
  let text = '';
  const { write } = stream;
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const written = rest.find((each) => typeof each === 'function');
    if (written) queueMicrotask(() => written());
    return true;
  };
  return {
    text: () => text,
    release: () => {
      stream.write = write;
    },
  };
}

/**
 * Replaces Vitest's own console by a console that writes to the process's standard output and standard error. The
 * returned function puts Vitest's console back.
 */
function keptConsole(): () => void {
  const { console } = globalThis;
  globalThis.console = new Console(process.stdout, process.stderr);
  return () => {
    globalThis.console = console;
  };
}

function keptEnvironment(): () => void {
  const before = { ...process.env };
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  };
}

/** Returns a function that removes the listeners that were added after this call. */
function keptListeners(emitter: EventEmitter, event: string): () => void {
  const before = emitter.listeners(event);
  return () => {
    for (const listener of emitter.listeners(event))
      if (!before.includes(listener)) emitter.off(event, listener as () => void);
  };
}
