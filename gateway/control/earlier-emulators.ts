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
 * Adapts a command to an emulator of an earlier release. Such an emulator cannot note that the shopper has left, so it
 * gets the command for "no shopper" instead.
 */
export function downgradeEmulatorCommand(command: TerminalCommand): TerminalCommand {
  if (command.do !== 'shopper' || !command.shopper || !('leaves' in command.shopper)) return command;
  return { do: 'shopper', shopper: null };
}
