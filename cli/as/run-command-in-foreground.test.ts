import type { ChildProcess } from 'node:child_process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runCommandInForeground } from './run-command-in-foreground.ts';
import { SignalForwarder } from './signals.ts';

/** Behaves as if the system did not let this process send a signal to the command. Node then emits this error. */
class RefusedSignals extends SignalForwarder {
  override passTo(command: ChildProcess): void {
    const refusal = Object.assign(new Error('kill EPERM'), { code: 'EPERM', syscall: 'kill' });
    command.once('spawn', () => command.emit('error', refusal));
  }
}

test('a command that may not get a signal still ends with its own exit code (B527)', async () => {
  const before = new Map(process.eventNames().map((name) => [name, process.listeners(name as 'SIGINT')]));
  onTestFinished(() => {
    for (const name of process.eventNames())
      for (const listener of process.listeners(name as 'SIGINT'))
        if (!before.get(name)?.includes(listener)) process.off(name, listener);
  });
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  const ended = await runCommandInForeground(
    [process.execPath, '-e', 'process.exit(7)'],
    process.env,
    new RefusedSignals(),
  );
  expect(ended).toEqual({ code: 7, ran: true });
  expect(said.mock.calls).toEqual([['pinpad: a signal was not passed on to the command: EPERM']]);
});
