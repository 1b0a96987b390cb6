import type { TuiTerminal } from './source.ts';

/** Returns a terminal's name as `pinpad up` and the console write it: the poi_id, with the store beside it. */
export function terminalName({ terminals }: { terminals: readonly TuiTerminal[] }, poiId = ''): string {
  const store = terminals.find((terminal) => terminal.poiId === poiId)?.store;
  return store ? `${poiId}, ${store}` : poiId;
}

/** Returns how many columns the poi_ids need. The longest poi_ids are shortened if the window is small. */
export function terminalColumns({
  terminals,
  size,
}: {
  terminals: readonly TuiTerminal[];
  size: { columns: number };
}): number {
  const longest = Math.max(...terminals.map(({ poiId }) => poiId.length));
  return Math.min(size.columns < 100 ? 16 : 40, longest);
}
