import type { JournalEntry } from '../../../shared/journal.ts';

/** Shows the screen that a terminal showed at a moment, read from the journal. */
export function ScreenPicture({ entry }: { entry: JournalEntry<'terminal.screen'> }) {
  const { state, title, amount, lines = [], choices = [] } = entry.data;
  return (
    <figure class="glass-figure" data-terminal={entry.terminal} data-state={state}>
      <figcaption>
        {entry.terminal}: {state}
      </figcaption>
      <div class="glass">
        <strong>{title}</strong>
        {amount !== undefined && <b>{amount}</b>}
        {[...lines, ...choices].map((line) => (
          <span>{line}</span>
        ))}
      </div>
    </figure>
  );
}

/** Returns the screen that each terminal showed at a moment. */
export function screensAt(entries: readonly JournalEntry[], seq: number): JournalEntry<'terminal.screen'>[] {
  const latest = new Map<string, JournalEntry<'terminal.screen'>>();
  for (const entry of entries) {
    if (entry.seq > seq) break;
    if (entry.kind === 'terminal.screen' && entry.terminal !== undefined) latest.set(entry.terminal, entry);
  }
  return [...latest.values()];
}
