import type { TerminalCommand } from './emulators.ts';

/** The commands that an emulator of an earlier release cannot handle and would disconnect at. */
export const aboutMoments: ReadonlySet<TerminalCommand['do']> = new Set([
  'setMoment',
  'clearMoments',
  'moments',
  'continue',
]);

/**
 * Rewrites the command for an emulator of an earlier release: for that emulator, a shopper that has left is no shopper.
 */
export function asBefore(command: TerminalCommand): TerminalCommand {
  if (command.do !== 'shopper' || !command.shopper || !('leaves' in command.shopper)) return command;
  return { do: 'shopper', shopper: null };
}
