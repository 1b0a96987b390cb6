import type { TuiTerminal } from './source.ts';

/** Returns a terminal's name in the form that `pinpad up` and the console use: the poi_id, followed by the store. */
export function terminalNameOf({ terminals }: { terminals: readonly TuiTerminal[] }, poiId = ''): string {
  const store = terminals.find((terminal) => terminal.poiId === poiId)?.store;
  return store ? `${poiId}, ${store}` : poiId;
}

/**
 * Returns the number of columns in which poi_ids are shown. In a narrow window, long poi_ids need more columns than
 * this.
 */
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
