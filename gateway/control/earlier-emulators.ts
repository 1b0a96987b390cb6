import type { TerminalCommand } from './emulators.ts';

/**
 * Adapts a command to an emulator of an earlier release, which does not know moments. If such an emulator got a command
 * that it does not know, it would disconnect. Commands that clear, list or continue moments have no effect on such an
 * emulator, so nothing is sent. Such an emulator cannot note that the shopper has left, so it gets the command for "no
 * shopper" instead.
 */
export function adaptToEarlierEmulator(
  command: TerminalCommand,
): TerminalCommand | 'nothingToDo' | 'unsupported' {
  switch (command.do) {
    case 'setMoment':
      return 'unsupported';
    case 'clearMoments':
    case 'moments':
    case 'continue':
      return 'nothingToDo';
    case 'shopper':
      return command.shopper && 'leaves' in command.shopper ? { do: 'shopper', shopper: null } : command;
    default:
      return command;
  }
}
