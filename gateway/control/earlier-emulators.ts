import type { TerminalCommand } from './emulators.ts';

/** The commands for which an emulator of an earlier release would break off. */
export const aboutMoments: ReadonlySet<TerminalCommand['do']> = new Set([
  'setMoment',
  'clearMoments',
  'moments',
  'continue',
]);

/** Gives the command as an emulator of an earlier release knows it: for it, a shopper that has left is no shopper. */
export function asBefore(command: TerminalCommand): TerminalCommand {
  if (command.do !== 'shopper' || !command.shopper || !('leaves' in command.shopper)) return command;
  return { do: 'shopper', shopper: null };
}
