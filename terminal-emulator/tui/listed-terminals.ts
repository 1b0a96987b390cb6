import type { Screen } from '../../shared/emulator/screen.ts';
import type { TuiTerminal } from './source.ts';
import type { TuiState } from './state.ts';

/** A terminal to go to, with what it shows. */
interface ListedTerminal {
  readonly index: number;
  readonly terminal: TuiTerminal;
  readonly screen: Screen | undefined;
}

/**
 * The terminals that have every word of the filter in their name, their store or on their screen. Terminals that have
 * the words in a row come first (B268).
 */
export function listedTerminals({ terminals, screens, terminalFilter }: TuiState): readonly ListedTerminal[] {
  const words = terminalFilter.toLowerCase().split(/\s+/).filter(Boolean);
  const found = terminals.flatMap((terminal, index) => {
    const screen = screens[index];
    const text = [terminal.poiId, terminal.store, screen?.title, screen?.state].join(' ').toLowerCase();
    return words.every((word) => text.includes(word)) ? [{ index, terminal, screen, text }] : [];
  });
  // The words in a row: "Shop 3" is one place, although all numbers contain a 3.
  const phrase = words.join(' ');
  return found.toSorted((a, b) => Number(b.text.includes(phrase)) - Number(a.text.includes(phrase)));
}

/** A terminal out of view that asks its cardholder for something, and how many more do (B268). */
export function askingElsewhere({
  terminals,
  screens,
  terminal,
}: TuiState): (ListedTerminal & { readonly more: number }) | undefined {
  const asking = screens.flatMap((screen, at) => (at !== terminal && screen.tone === 'prompt' ? [at] : []));
  const [index = -1] = asking;
  const found = terminals[index];
  return found && { index, terminal: found, screen: screens[index], more: asking.length - 1 };
}
