import type { TuiTerminal } from './source.ts';

/** Returns a terminal's name in the form that `pinpad up` and the console use: the poi_id, with the store behind it. */
export function terminalName({ terminals }: { terminals: readonly TuiTerminal[] }, poiId = ''): string {
  const store = terminals.find((terminal) => terminal.poiId === poiId)?.store;
  return store ? `${poiId}, ${store}` : poiId;
}

/** Returns the number of columns for the poi_ids. In a small window, the longest poi_ids are shortened. */
export function terminalNameColumns({
  terminals,
  size,
}: {
  terminals: readonly TuiTerminal[];
  size: { columns: number };
}): number {
  const longest = Math.max(...terminals.map(({ poiId }) => poiId.length));
  return Math.min(size.columns < 100 ? 16 : 40, longest);
}
