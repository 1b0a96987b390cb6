import { isoTime } from '../shared/clock.ts';
import type { JournalEntry } from '../shared/journal.ts';
import { readEntryField } from '../shared/journal-fields.ts';
import { isControlPath, makeJournalLine } from '../terminal-emulator/index.ts';

/**
 * Describes what happened, one line for each event. A line about a terminal's screen has all text of the screen (B262).
 * Calls of the control API have no lines, because the test itself made these calls. But their effects at a terminal
 * have lines.
 */
export function historyLines(entries: readonly JournalEntry[]): string[] {
  return entries.flatMap((entry) => {
    const { text, detail } = makeJournalLine(entry);
    const own =
      entry.kind === 'control.changed' || isControlPath(String(readEntryField(entry, 'path') ?? ''));
    if (own || (detail && entry.kind !== 'terminal.key')) return [];
    const said = entry.kind === 'terminal.screen' ? screenLine(entry.data) : text;
    return [[isoTime(entry.at).slice(11, 23), entry.terminal, said].filter(Boolean).join(' ')];
  });
}

/** Describes a screen, for example `shows Add a tip? €10.00 1 15% €1.50 enter No tip` */
function screenLine({
  state,
  title,
  amount,
  lines = [],
  choices = [],
}: JournalEntry<'terminal.screen'>['data']) {
  return `shows ${[title || state, amount, lines.join(' '), ...choices].filter(Boolean).join('  ')}`;
}
