import type { TerminalCommand } from './emulators.ts';

/** What an emulator of an earlier release would break off for. */
export const aboutMoments: ReadonlySet<TerminalCommand['do']> = new Set([
  'setMoment',
  'clearMoments',
  'moments',
  'continue',
]);

/** To an emulator of an earlier release a shopper who has left is none. */
export function asBefore(command: TerminalCommand): TerminalCommand {
  if (command.do !== 'shopper' || !command.shopper || !('leaves' in command.shopper)) return command;
  return { do: 'shopper', shopper: null };
}
