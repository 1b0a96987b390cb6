import type { TuiCommand } from './command.ts';
import { findSelectedTerminalAndScreen, type TuiState } from './state.ts';

/**
 * A mode is something that stays on until the user switches it off. `word` is the text that the screen shows for the
 * mode.
 */
interface Mode {
  readonly word: string;
  /** Whether the mode is on in most cases, so that the user need not notice it. */
  readonly usual?: boolean;
  /** The command that a click on the word carries out. */
  readonly command?: TuiCommand;
}

/** Returns the modes that are on. A slow network is left out, because it is shown beside the network's lamp. */
export function findActiveModes(state: TuiState): Mode[] {
  const terminal = findSelectedTerminalAndScreen(state)?.terminal;
  const modes: Mode[] = [];
  if (state.recording) modes.push({ word: 'recording', command: { do: 'record' } });
  if (terminal?.pausedAt !== undefined)
    modes.push({
      word: `paused at ${terminal.pausedAt}`,
      command: { do: 'setTrouble', id: 'continue', mode: 'now' },
    });
  if (terminal?.shopper) modes.push({ word: 'shopper', command: { do: 'shopper' } });
  if (terminal?.troubles?.some(({ id }) => id !== 'slow'))
    modes.push({ word: 'faults', command: { do: 'open', overlay: 'troubles' } });
  if (state.wedge) modes.push({ word: 'wedge', usual: true });
  return modes;
}
