import type { TerminalCommand } from './emulators.ts';

/**
 * The commands that emulators of an earlier release do not know. If such an emulator got one of these commands, it
 * would disconnect.
 */
export const newerEmulatorCommands: ReadonlySet<TerminalCommand['do']> = new Set([
  'setMoment',
  'clearMoments',
  'moments',
  'continue',
]);

/**
 * Changes a command for an emulator of an earlier release. An emulator of that release cannot note that the shopper
 * has left. It gets the command for "no shopper" instead.
 */
export function downgradeEmulatorCommand(command: TerminalCommand): TerminalCommand {
  if (command.do !== 'shopper' || !command.shopper || !('leaves' in command.shopper)) return command;
  return { do: 'shopper', shopper: null };
}
