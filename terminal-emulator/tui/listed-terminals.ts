import type { Screen } from '../../shared/emulator/screen.ts';
import type { TuiTerminal } from './source.ts';
import type { TuiState } from './state.ts';

/** A terminal in the list, with its screen. */
interface ListedTerminal {
  readonly index: number;
  readonly terminal: TuiTerminal;
  readonly screen: Screen | undefined;
}

/**
 * Returns the terminals that match the filter. Each word of the filter must be in the terminal's name, store or
 * screen. Terminals in which the words are next to each other come first (B268).
 */
export function findListedTerminals({
  terminals,
  screens,
  terminalFilter,
}: TuiState): readonly ListedTerminal[] {
  const words = terminalFilter.toLowerCase().split(/\s+/).filter(Boolean);
  const found = terminals.flatMap((terminal, index) => {
    const screen = screens[index];
    const text = [terminal.poiId, terminal.store, screen?.title, screen?.state].join(' ').toLowerCase();
    return words.every((word) => text.includes(word)) ? [{ index, terminal, screen, text }] : [];
  });
  // Terminals in which the words are next to each other come first. For example, "Shop 3" is the name of one place,
  // but many terminals have a number with a 3.
  const phrase = words.join(' ');
  return found.toSorted((a, b) => Number(b.text.includes(phrase)) - Number(a.text.includes(phrase)));
}

/**
 * Returns a terminal out of view that waits for its cardholder, and how many other terminals out of view also wait
 * (B268).
 */
export function findOtherTerminalAwaitingCardholder({
  terminals,
  screens,
  terminal,
}: TuiState): (ListedTerminal & { readonly more: number }) | undefined {
  const asking = screens.flatMap((screen, at) => (at !== terminal && screen.tone === 'prompt' ? [at] : []));
  const [index = -1] = asking;
  const found = terminals[index];
  return found && { index, terminal: found, screen: screens[index], more: asking.length - 1 };
}
